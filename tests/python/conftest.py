# tests/python/conftest.py: what the tests of the Python package share
import os

import pytest

import mottle

GRAY_SCOTT = """
equations.u = "Du*lap(u) - u*v^2 + F*(1 - u)"
equations.v = "Dv*lap(v) + u*v^2 - (F + k)*v"
parameters = {Du = 0.16, Dv = 0.08, F = 0.035, k = 0.06}
initial.u = "1 - 0.5*disk(0.5, 0.5, 5)"
initial.v = "0.25*disk(0.5, 0.5, 5)"
grid.size = "24x16"
time = {dt = 1, steps = 100}
"""


@pytest.fixture
def gray_scott():
    return GRAY_SCOTT


def has_device(name):
    return any(device == name and there for device, there, _ in mottle.devices())


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: takes more than some seconds")


needs_jit = pytest.mark.skipif(not has_device("cpu"), reason="built without LLVM")
TINY = bool(os.environ.get("MOTTLE_TINY"))
