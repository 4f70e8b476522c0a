#!/bin/bash
# Set CUDA device
export CUDA_VISIBLE_DEVICES="5"
arch="vit_b"
finetune_type="adapter"
python SingleGPU_train_finetune_noprompt.py -if_warmup True -finetune_type "$finetune_type" -arch "$arch"
