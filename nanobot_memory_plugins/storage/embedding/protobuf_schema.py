"""Protocol Buffers message classes from a short table, for formats read or written without generated code.

The two formats of the built-in model need a handful of fields each. Their own packages would bring
30 MB to every installation (onnx) or nothing else of use (sentencepiece); protobuf itself is there with
onnxruntime.
"""

from collections.abc import Mapping
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

_FIELD = descriptor_pb2.FieldDescriptorProto
_SCALARS = {
    "bytes": _FIELD.TYPE_BYTES,
    "float": _FIELD.TYPE_FLOAT,
    "int32": _FIELD.TYPE_INT32,
    "int64": _FIELD.TYPE_INT64,
    "string": _FIELD.TYPE_STRING,
}

Schema = Mapping[str, Mapping[str, tuple[int, str]]]
"""Message name -> field name -> (number, type); a type may be a message of the schema, and begin with
``repeated``."""


def message_class(package: str, schema: Schema, message: str) -> Any:
    """Return the class of ``message``, a proto2 message of ``schema``. Fields not listed are skipped."""
    file = descriptor_pb2.FileDescriptorProto(name=f"{package}.proto", package=package, syntax="proto2")
    for message_name, fields in schema.items():
        description = file.message_type.add(name=message_name)
        for name, (number, kind) in fields.items():
            element = kind.removeprefix("repeated ")
            field = description.field.add(name=name, number=number)
            field.label = _FIELD.LABEL_OPTIONAL if element == kind else _FIELD.LABEL_REPEATED
            if element in _SCALARS:
                field.type = _SCALARS[element]
            else:
                field.type = _FIELD.TYPE_MESSAGE
                field.type_name = f".{package}.{element}"
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{package}.{message}"))
