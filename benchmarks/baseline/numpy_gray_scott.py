# mottle/benchmarks/baseline/numpy_gray_scott.py: the Triton article's NumPy program, timed; prints cell updates per second
# usage: numpy_gray_scott.py SIZE SECONDS [processor]
import sys
import time

import numpy as np

Du, Dv, F, k, dt = 0.16, 0.08, 0.035, 0.065, 0.98


def laplacian(Z):
    return (
        -4 * Z
        + np.roll(Z, 1, axis=0)
        + np.roll(Z, -1, axis=0)
        + np.roll(Z, 1, axis=1)
        + np.roll(Z, -1, axis=1)
    )


def update(U, V):
    Lu = laplacian(U)
    Lv = laplacian(V)
    reaction = U * V * V
    U += (Du * Lu - reaction + F * (1 - U)) * dt
    V += (Dv * Lv + reaction - (F + k) * V) * dt
    np.clip(U, 0, 1, out=U)
    np.clip(V, 0, 1, out=V)


size, seconds = int(sys.argv[1]), float(sys.argv[2])
rng = np.random.default_rng(1)
U = np.ones((size, size))
V = np.zeros((size, size))
block = (slice(size // 12, size * 7 // 12), slice(size // 4, size * 3 // 4))
U[block] = 0.5 + 0.05 * rng.random(U[block].shape)
V[block] = 0.25 + 0.05 * rng.random(V[block].shape)
update(U, V)
clock = time.process_time if sys.argv[3:] == ["processor"] else time.perf_counter
steps, start = 0, clock()
while steps == 0 or clock() - start < seconds:
    update(U, V)
    steps += 1
elapsed = clock() - start
if not (np.isfinite(U).all() and np.isfinite(V).all() and U.max() - U.min() > 1e-3):
    sys.exit("the fields are not finite or do not vary")
print(steps * size * size / elapsed)
