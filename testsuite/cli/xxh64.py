"""xxh64.py FILE: prints the checksum of FILE, XXH64 with seed 0.  A second
implementation, to test the one of the command."""
import struct
import sys

P = (11400714785074694791, 14029467366897019727, 1609587929392839161,
     9650029242287828579, 2870177450012600261)
M = 2 ** 64 - 1


def rotate(x, n):
    return (x << n | x >> 64 - n) & M


def step(x, lane):
    return rotate(x + lane * P[1] & M, 31) * P[0] & M


def xxh64(data):
    """Returns the checksum of the bytes DATA as 16 hexadecimal digits."""
    n, at = len(data), 0
    if n >= 32:
        v = [(P[0] + P[1]) & M, P[1], 0, -P[0] & M]
        while at + 32 <= n:
            v = [step(x, lane) for x, lane
                 in zip(v, struct.unpack_from("<4Q", data, at))]
            at += 32
        h = sum(rotate(x, k) for x, k in zip(v, (1, 7, 12, 18))) & M
        for x in v:
            h = ((h ^ step(0, x)) * P[0] + P[3]) & M
    else:
        h = P[4]
    h = h + n & M
    while at + 8 <= n:
        h = rotate(h ^ step(0, struct.unpack_from("<Q", data, at)[0]), 27)
        h, at = (h * P[0] + P[3]) & M, at + 8
    if at + 4 <= n:
        h ^= struct.unpack_from("<I", data, at)[0] * P[0] & M
        h, at = (rotate(h, 23) * P[1] + P[2]) & M, at + 4
    for byte in data[at:]:
        h = rotate(h ^ byte * P[4] & M, 11) * P[0] & M
    h = (h ^ h >> 33) * P[1] & M
    h = (h ^ h >> 29) * P[2] & M
    return "%016x" % (h ^ h >> 32)


if __name__ == "__main__":
    print(xxh64(open(sys.argv[1], "rb").read()))
