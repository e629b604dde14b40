import KivoEngine

/// Numbers for objects, by which they are compared: accessors of one row have the same.
final class ObjectNumbers {
    private var numbers: [SubjectIdentity: Int64] = [:]

    func cell(_ object: ObjectBase) -> Cell {
        let identity = SubjectIdentity(object)
        let number = numbers[identity] ?? Int64(numbers.count + 1)
        numbers[identity] = number
        return .link(number)
    }
}
