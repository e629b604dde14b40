// Key-value observing and coding of classes that are no models, with the types that models' have in common with it.
@_exported import KivoObserving
