"""A torchvision whose operator exists only beside the torch it was built with."""

import torch

__version__ = "@version@"
BUILT_WITH = "@torch@"


class ops:  # noqa: N801
    @staticmethod
    def nms(boxes, scores, threshold):
        if torch.__version__.partition("+")[0] != BUILT_WITH:
            raise RuntimeError("operator torchvision::nms does not exist")
        order = sorted(range(len(scores.rows)), key=lambda number: -scores.rows[number])
        kept = []
        for number in order:
            if all(_overlap(boxes.rows[number], boxes.rows[other]) <= threshold for other in kept):
                kept.append(number)
        return torch.Tensor(kept)


def _overlap(one, other):
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    common = max(width, 0) * max(height, 0)
    return common / (_area(one) + _area(other) - common)


def _area(box):
    return (box[2] - box[0]) * (box[3] - box[1])
