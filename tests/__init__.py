"""The tests: theorems, contracts, kernels, papers' numbers, commands, poker."""
