import TestRandomness

/// The generator of the random tests.
typealias RandomSource = TestRandomness.RandomSource
