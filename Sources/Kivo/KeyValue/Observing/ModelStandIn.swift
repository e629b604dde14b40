import KivoObserving

/// A recording instance of a model, which key paths from plain classes read in place of an object.
final class ModelStandIn: RecordingStandIn {
    private let recorder = KeyPathRecorder()
    private let instance: ObjectBase
    private let info: ClassInfo

    init(_ info: ClassInfo) {
        self.info = info
        instance = recorder.instance(of: info.type)
    }

    var object: AnyObject { instance }

    func reads(endingAt value: Any?) -> StandInReads {
        if let value { recorder.end(at: value) }
        let paths = recorder.paths
        recorder.finish()
        let chain = recorder.isChain && !recorder.names.isEmpty ? recorder.names : nil
        let (property, ignored) =
            chain.map { WatchedKeyPath($0.joined(separator: ".")).property(from: info) } ?? (nil, nil)
        return StandInReads(
            paths: paths, chain: chain, valueType: property?.wrapper.valueType ?? ignored?.wrapper.valueType,
            isCollection: property.map { $0.type.collection != .none } ?? false)
    }
}
