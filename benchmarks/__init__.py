"""Speed figures: ratios within one run, medians over repetitions. Run ``python -m benchmarks [NAME ...]``."""
