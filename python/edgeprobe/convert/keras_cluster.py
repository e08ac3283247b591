# SPDX-License-Identifier: Apache-2.0
"""Keras -> Keras whose kernels hold a small number of different weights each."""
import numpy as np

from . import keras_model, keras_training

MOST_ROUNDS = 300


def clusters_of(values, count):
    """k-means in one dimension: (centroids, ascending; the cluster of each value). Starts from evenly spaced quantiles and the two extremes."""
    flat = values.ravel().astype(np.float64)
    different = np.unique(flat)
    if different.size <= count:
        return different, np.searchsorted(different, flat).reshape(values.shape)
    centroids = np.unique(np.quantile(different, np.linspace(0, 1, count)))
    for _ in range(MOST_ROUNDS):
        member = np.searchsorted((centroids[1:] + centroids[:-1]) / 2, flat)
        sizes = np.bincount(member, minlength=centroids.size)
        sums = np.bincount(member, flat, centroids.size)
        moved = np.sort(np.where(sizes > 0, sums / np.maximum(sizes, 1), centroids))
        if np.array_equal(moved, centroids):
            break
        centroids = moved
    return centroids, np.searchsorted((centroids[1:] + centroids[:-1]) / 2, flat).reshape(values.shape)


class Clustered:
    """A kernel whose weights stay equal within each cluster. With `keep_zeros`, zeros are a cluster of their own that stays zero."""

    def __init__(self, variable, count, keep_zeros):
        values = np.array(variable)
        self.variable, self.zeros = variable, (values == 0) if keep_zeros else np.zeros(values.shape, bool)
        has_zeros = bool(self.zeros.any())
        self.centroids, member = clusters_of(values[~self.zeros], count - has_zeros)
        self.member = np.zeros(values.shape, np.int64)
        self.member[~self.zeros] = member
        self._write()

    def _write(self):
        if self.centroids.size:
            values = self.centroids.astype(np.float32)[self.member]
            self.variable.assign(np.where(self.zeros, np.float32(0), values))

    def restore(self):
        """Moves each centroid to the mean of its weights, which a step of training has moved apart."""
        values, member = np.array(self.variable)[~self.zeros].astype(np.float64), self.member[~self.zeros]
        sizes = np.bincount(member, minlength=self.centroids.size)
        sums = np.bincount(member, values, self.centroids.size)
        self.centroids = np.where(sizes > 0, sums / np.maximum(sizes, 1), self.centroids)
        self._write()


def convert(request):
    options = request["options"]
    model = keras_model.load(request)
    kernels = keras_training.kernels_of(model, options["dense"] == "true")
    clustered = [Clustered(variable, int(options["clusters"]), options["keep_zeros"] == "true") for _, variable in kernels]
    notes = keras_training.fine_tune(model, request, lambda: [one.restore() for one in clustered])
    weights = [{"name": name, "weights": int(np.prod(variable.shape)), "different": int(np.unique(np.array(variable)).size)} for name, variable in kernels]
    most = max(one["different"] for one in weights)
    notes.insert(0, f"each of {len(weights)} kernels holds at most {most} different weights; the file shrinks only when it is compressed")
    return {"tool": keras_training.save(model, request), "notes": notes, "weights": weights}
