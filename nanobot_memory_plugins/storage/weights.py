"""What each feature of a passage is worth, in log-odds: the learned table.

A passage whose score is one higher is e times as likely to hold the answer. ``python -m benchmarks learn_ranking``
learns the two columns anew: by maximum likelihood of the labelled evidence among the candidates of each question (a
listwise softmax with a small ridge), over five sets of questions on chat turns, facts, notes and passages, in English
and Chinese. Figures are in docs/retrieval.md. By hand are set ``bare_question``, ``in_named_time`` and
``by_asked_person``, which no set has, and ``question`` with meaning, for what a user says to an assistant.
"""

WITH_MEANING: dict[str, float] = {
    "words": 0.72,
    "coverage": 0.37,
    "similarity": 4.87,
    "named_speaker": 1.02,
    "question": -1.00,
    "bare_question": -4.00,
    "length": 1.54,
    "answer_time": 1.11,
    "answer_number": 1.41,
    "answer_name": 0.79,
    "next_words": 0.19,
    "next_meaning": 0.18,
    "asked_before_coverage": 0.39,
    "asked_before_meaning": 0.34,
    "window_coverage": 2.19,
    "session_words": 1.97,
    "session_words_mean": 0.05,
    "session_meaning": 0.22,
    "session_coverage": 1.55,
    "in_named_time": 1.50,
    "by_asked_person": 0.70,
    "by_assistant": -3.26,
    "message_words": 0.83,
    "message_meaning": 0.07,
}
WORDS_ALONE: dict[str, float] = {
    "words": 1.57,
    "coverage": 0.75,
    "named_speaker": 1.12,
    "question": -0.22,
    "bare_question": -4.00,
    "length": 1.10,
    "answer_time": 1.20,
    "answer_number": 1.55,
    "answer_name": 0.76,
    "next_words": 0.63,
    "asked_before_coverage": 2.06,
    "window_coverage": 2.24,
    "session_words": 2.07,
    "session_words_mean": 0.61,
    "session_coverage": 1.48,
    "in_named_time": 1.50,
    "by_asked_person": 0.70,
    "by_assistant": -3.43,
    "message_words": 0.92,
}
