import Dispatch
import Foundation
import KivoEngine
import KivoLog

/// The election of one store that makes a checkpoint: a key that lives as long as its lease is kept alive. What the store does with
/// images is carried out only while it is elected.
final class EtcdElection: Sendable {
    /// The number of the image.
    let id: UInt64
    private let client: EtcdClient
    private let keys: EtcdKeys
    private let lease: Int64
    private let isEnded = Lock(false)
    private let queue = DispatchQueue(label: "Kivo: an election of etcd")

    /// The time, in seconds, after which a store that is not heard of is replaced by another.
    private static let seconds = 30

    /// Tries to be elected; nil if another store is.
    ///
    /// - Throws: ``CommitLogError/unavailable(_:)``.
    init?(_ client: EtcdClient, _ keys: EtcdKeys) throws {
        (self.client, self.keys) = (client, keys)
        id = .random(in: 1 ... .max)
        let deadline = ContinuousClock.now + .seconds(20)
        let grant = EtcdJSON.object([("TTL", EtcdJSON.number(EtcdElection.seconds))])
        let json = try client.ask("lease/grant", grant, until: deadline).json
        guard let lease = (json["ID"] as? String).flatMap(Int64.init) else { return nil }
        self.lease = lease
        let body = EtcdJSON.transaction(
            if: [EtcdJSON.exists(keys.maker, false)],
            then: [("request_put", EtcdJSON.put(keys.maker, "\(id)".utf8, lease: lease))],
            else: [("request_range", EtcdJSON.range(keys.maker))])
        let answer: [String: Any]
        do {
            answer = try client.ask("kv/txn", body, until: deadline).json
        } catch {
            end()
            throw error
        }
        // The answer to a first attempt may have been lost.
        let found = EtcdAnswer.responses(answer).first.flatMap { EtcdAnswer.pairs($0).first }
        guard answer["succeeded"] as? Bool == true || found?.text == "\(id)" else {
            end()
            return nil
        }
        keepLater()
    }

    /// The condition that the election has not passed on.
    var holds: String { EtcdJSON.has(keys.maker, "\(id)".utf8) }

    /// Carries out operations, for as long as something moves.
    ///
    /// - Throws: ``CommitLogError/unavailable(_:)``, also if the election has passed on.
    func perform(_ operations: [(String, String)]) throws {
        let body = EtcdJSON.transaction(if: [holds], then: operations)
        let answer = try client.ask("kv/txn", body, .whileMoving(tryingFor: .seconds(20)))
        guard answer.json["succeeded"] as? Bool == true else {
            throw CommitLogError.unavailable("another store makes checkpoints by now")
        }
    }

    /// Removes the image, unless a checkpoint names it: the answer that says so may have been lost. A request to publish it that is
    /// still on its way finds that the election is over.
    func discardImage(unless note: CheckpointNote) {
        queue.async { [client, keys, id, holds] in
            let patience = EtcdPatience.whileMoving(tryingFor: .seconds(60))
            let resignation = EtcdJSON.transaction(
                if: [holds], then: [("request_delete_range", EtcdJSON.delete(keys.maker))])
            let image = keys.image(id)
            let removal = EtcdJSON.transaction(
                if: [EtcdJSON.has(keys.checkpoint, note.text.utf8)], then: [],
                else: [("request_delete_range", EtcdJSON.delete(image, prefix: image))])
            // If it fails, the next store that is elected removes the image.
            guard (try? client.ask("kv/txn", resignation, patience)) != nil else { return }
            _ = try? client.ask("kv/txn", removal, patience)
        }
    }

    /// Gives the election back.
    func end() {
        isEnded.withLock { $0 = true }
        queue.async { [client, lease] in
            let body = EtcdJSON.object([("ID", EtcdJSON.number(lease))])
            _ = try? client.ask("lease/revoke", body, until: .now + .seconds(10))
        }
    }

    private func keepLater() {
        DispatchQueue.global().asyncAfter(deadline: .now() + Double(EtcdElection.seconds) / 4) {
            [weak self] in
            self?.keep()
        }
    }

    private func keep() {
        if isEnded.withLock({ $0 }) { return }
        let body = EtcdJSON.object([("ID", EtcdJSON.number(lease))])
        // The lease may be kept over the same slow line as the image.
        client.send("lease/keepalive", body, .until(.now + .seconds(20), silence: .seconds(10))) {
            [weak self] _ in
            self?.keepLater()
        }
    }
}
