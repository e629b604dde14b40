import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// An answer of etcd's JSON gateway.
package struct EtcdAnswer: Sendable {
    /// The code of gRPC for a token that is missing or has ended.
    static let unauthenticated = 16
    /// The code of gRPC for a right that is missing.
    static let permissionDenied = 7
    /// The codes of gRPC after which a request may have been carried out: cancelled, unknown, deadline exceeded, internal error,
    /// unavailable, data loss.
    private static let openCodes: Set<Int> = [1, 2, 4, 13, 14, 15]

    private let data: Data

    init(_ data: Data) { self.data = data }

    /// The answer as an object of JSON.
    package var json: [String: Any] {
        (try? JSONSerialization.jsonObject(with: data)) as? [String: Any] ?? [:]
    }

    /// Returns what became of a request.
    static func result(
        _ data: Data?, _ response: URLResponse?, _ error: (any Error)?
    ) -> Result<EtcdAnswer, EtcdFailure> {
        if let error {
            let isNotSent: Bool =
                switch (error as? URLError)?.code {
                case .cannotConnectToHost, .cannotFindHost, .dnsLookupFailed, .unsupportedURL,
                    .secureConnectionFailed, .serverCertificateUntrusted:
                    true
                default: false
                }
            let reason = error.localizedDescription
            return .failure(isNotSent ? .notSent(reason) : .unanswered(reason))
        }
        guard let status = (response as? HTTPURLResponse)?.statusCode else {
            return .failure(.unanswered("the answer is not one of HTTP"))
        }
        return result(data ?? Data(), status: status)
    }

    /// Returns what became of a request that was answered.
    static func result(_ data: Data, status: Int) -> Result<EtcdAnswer, EtcdFailure> {
        let answer = EtcdAnswer(data)
        if status == 200 { return .success(answer) }
        let json = answer.json
        let reason = json["error"] as? String ?? json["message"] as? String ?? "status \(status)"
        // Refused before it was proposed.
        if reason.contains("no leader") { return .failure(.notSent(reason)) }
        guard let code = json["code"] as? Int, !openCodes.contains(code) else {
            return .failure(.unanswered(reason))
        }
        return .failure(.refused(code: code, reason))
    }

    // MARK: Contents

    /// The header of an answer or of a part of one.
    struct Header {
        var cluster: UInt64 = 0
        var revision: Int64 = 0

        init(_ json: [String: Any]) {
            let header = json["header"] as? [String: Any] ?? [:]
            cluster = (header["cluster_id"] as? String).flatMap(UInt64.init) ?? 0
            revision = (header["revision"] as? String).flatMap(Int64.init) ?? 0
        }
    }

    /// The responses to the requests of a transaction, in order.
    static func responses(_ json: [String: Any]) -> [[String: Any]] {
        (json["responses"] as? [[String: Any]] ?? []).map { response in
            response.values.first as? [String: Any] ?? [:]
        }
    }

    /// The pairs of a response to a range request.
    package static func pairs(_ json: [String: Any]) -> [EtcdPair] {
        (json["kvs"] as? [[String: Any]] ?? []).compactMap(EtcdPair.init)
    }
}

/// A key and its value.
package struct EtcdPair: Sendable {
    package var key: String
    package var value: [UInt8]
    /// The revision at which the key was created; 0 for one that was deleted.
    var created: Int64
    /// The revision of its last change.
    var modified: Int64
    /// The lease that it lives with; 0 if it has none.
    var lease: Int64

    init?(_ json: [String: Any]) {
        guard let key = (json["key"] as? String).flatMap({ Data(base64Encoded: $0) }) else { return nil }
        self.key = String(decoding: key, as: UTF8.self)
        value = (json["value"] as? String).flatMap { Data(base64Encoded: $0) }.map(Array.init) ?? []
        func number(_ name: String) -> Int64 { (json[name] as? String).flatMap(Int64.init) ?? 0 }
        (created, modified, lease) = (number("create_revision"), number("mod_revision"), number("lease"))
    }

    /// The value as text.
    package var text: String { String(decoding: value, as: UTF8.self) }
}
