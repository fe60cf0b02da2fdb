"""What each feature of a passage is worth, in log-odds: the learned table.

A passage whose score is one higher is e times as likely to hold the answer. ``python -m benchmarks learn_ranking``
learns the two columns anew: by maximum likelihood of the labelled evidence among the candidates of each question (a
listwise softmax with a small ridge), over five sets of questions on chat turns, facts, notes and passages, in English
and Chinese. Figures are in docs/retrieval.md. The last three rows are set by hand: no set has them.
"""

WITH_MEANING: dict[str, float] = {
    "words": 1.07,
    "coverage": 0.56,
    "similarity": 5.80,
    "named_speaker": 1.03,
    "question": -1.03,
    "length": 2.06,
    "answer_time": 1.26,
    "answer_number": 1.63,
    "answer_name": 0.98,
    "next_words": 0.07,
    "next_meaning": 0.26,
    "asked_before_coverage": 0.81,
    "asked_before_meaning": 0.38,
    "window_coverage": 2.51,
    "session_words": 2.01,
    "session_words_mean": 0.43,
    "session_meaning": 0.09,
    "session_coverage": 2.08,
    "bare_question": -4.00,
    "in_named_time": 1.50,
    "by_asked_person": 0.70,
}
WORDS_ALONE: dict[str, float] = {
    "words": 2.15,
    "coverage": 1.00,
    "named_speaker": 1.16,
    "question": -0.74,
    "length": 1.40,
    "answer_time": 1.29,
    "answer_number": 1.85,
    "answer_name": 1.03,
    "next_words": 0.73,
    "asked_before_coverage": 2.60,
    "window_coverage": 2.47,
    "session_words": 2.06,
    "session_words_mean": 0.58,
    "session_coverage": 2.10,
    "bare_question": -4.00,
    "in_named_time": 1.50,
    "by_asked_person": 0.70,
}
