import Foundation
import Kivo
import KivoLog

/// The account that the realms of a ``CommitLogSuite`` write. Amounts only move from one account to another.
class CommitLogSuiteAccount: Object {
    @Persisted(primaryKey: true) var number: Int
    @Persisted var amount: Int
    @Persisted var notes: List<String>
    @Persisted var partner: CommitLogSuiteAccount?
}

/// A receipt for a write that was acknowledged.
class CommitLogSuiteReceipt: Object {
    @Persisted(primaryKey: true) var number: Int
}

extension CommitLogSuite {
    private static let accounts = 40

    /// Checks realms whose stores share the storage: they write at random, and each compares its notifications with its contents.
    func checkRealms(_ check: LogCheck) throws {
        var random = SeededNumbers(seed)
        var participants = try (0..<3).map { try Participant($0, seed, check) }
        guard let first = participants.first else { return }
        _ = try first.write { realm in
            for number in 0..<CommitLogSuite.accounts {
                realm.add(CommitLogSuiteAccount(value: ["number": number, "amount": 10]))
            }
        }
        let isShared = try check.open().isShared
        if !isShared { participants = [first] }
        var acknowledged: [Int] = []
        for number in 0..<writesPerRealm * participants.count {
            let index = random.below(participants.count)
            if random.below(20) == 0 {
                participants[index].close()
                participants[index] = try Participant(index, seed, check)
            }
            let participant = participants[index]
            if random.below(3) > 0 { participant.realm.refresh() }
            let edit = Edit(number, &random)
            if try participant.write(edit.carryOut) { acknowledged.append(number) }
            participant.checkSums(check)
            if !check.failures.isEmpty { return participants.forEach { $0.close() } }
        }
        check.expect(acknowledged.count > 0, "no write succeeded")
        for participant in participants {
            check.wait("what others have written", timeout) {
                participant.realm.refresh()
                return acknowledged.allSatisfy {
                    participant.realm.object(ofType: CommitLogSuiteReceipt.self, forPrimaryKey: $0) != nil
                }
            }
        }
        // A write whose outcome is unknown may still be carried out.
        check.wait("all to be the same", timeout) {
            for participant in participants { participant.realm.refresh() }
            return Set(participants.map(\.contents)).count == 1
        }
        for participant in participants {
            participant.checkSums(check)
            participant.close()
        }
        let later = try Participant(participants.count, seed, check)
        check.expect(
            later.contents == participants.map(\.contents)[0], "who comes later finds something else")
        later.close()
    }

    /// One write.
    private struct Edit {
        let number: Int
        let (from, to, amount, kind): (Int, Int, Int, Int)

        init(_ number: Int, _ random: inout SeededNumbers) {
            self.number = number
            from = random.below(CommitLogSuite.accounts)
            to = random.below(CommitLogSuite.accounts)
            amount = random.below(5)
            kind = random.below(4)
        }

        func carryOut(_ realm: Realm) {
            realm.add(CommitLogSuiteReceipt(value: ["number": number]))
            guard let payer = realm.object(ofType: CommitLogSuiteAccount.self, forPrimaryKey: from),
                let payee = realm.object(ofType: CommitLogSuiteAccount.self, forPrimaryKey: to)
            else { return }
            payer.amount -= amount
            payee.amount += amount
            switch kind {
            case 0: payee.notes.append("\(number)")
            case 1: if !payer.notes.isEmpty { payer.notes.remove(at: 0) }
            case 2: payer.partner = payee
            default:
                // Moves the whole amount to another account, and replaces the account by an empty one.
                if from != to {
                    payee.amount += payer.amount
                    realm.delete(payer)
                    realm.add(CommitLogSuiteAccount(value: ["number": from, "amount": 0]))
                }
            }
        }
    }

    /// A realm with its own store, and the notifications that it received.
    private final class Participant {
        let realm: Realm
        private let accounts: Results<CommitLogSuiteAccount>
        private let table = BatchUpdateTable<CommitLogSuiteAccount, String>(row: Participant.row)
        private var token: NotificationToken?

        init(_ index: Int, _ seed: UInt64, _ check: LogCheck) throws {
            var configuration = Realm.Configuration(objectTypes: [
                CommitLogSuiteAccount.self, CommitLogSuiteReceipt.self,
            ])
            configuration.commitLog = CommitLogSource(
                identifier: "suite \(seed) \(index)", open: check.opening)
            realm = try Realm(configuration: configuration)
            accounts = realm.objects(CommitLogSuiteAccount.self).sorted(byKeyPath: "number")
            token = accounts.observe { [table] in table.apply($0) }
        }

        /// Returns whether the write is known to have been carried out. Another may have been first, or no answer may have
        /// arrived.
        func write(_ body: (Realm) -> Void) throws -> Bool {
            do {
                try realm.write { body(realm) }
                return true
            } catch Realm.Error.conflictingWrite {
                return false
            } catch Realm.Error.unknownOutcome {
                return false
            }
        }

        /// The whole contents, as text.
        var contents: String {
            let receipts = realm.objects(CommitLogSuiteReceipt.self).sorted(byKeyPath: "number")
            return accounts.map(Participant.row).joined(separator: "\n") + "\n"
                + receipts.map { "\($0.number)" }.joined(separator: " ")
        }

        /// Compares the notified changes with the contents, and looks for partly visible commits.
        func checkSums(_ check: LogCheck) {
            // Delivers all notifications of the newest version, which stays current until the run loop runs.
            realm.refresh()
            let rows = Array(accounts.map(Participant.row))
            check.expect(table.problems.isEmpty, "changes do not add up: \(table.problems)")
            let difference = zip(table.rows, rows).first { $0 != $1 }
            check.expect(
                table.rows == rows,
                """
                what was told, in \(table.changeCount) changes, differs: \(table.rows.count) rows, not \(rows.count)\
                \(difference.map { "; \($0), not \($1)" } ?? "")
                """)
            let total: Int = accounts.sum(of: \.amount)
            check.expect(
                accounts.isEmpty || total == 10 * CommitLogSuite.accounts,
                "half of a commit is there: the sum is \(total)")
        }

        func close() {
            token?.invalidate()
            token = nil
        }

        private static func row(_ account: CommitLogSuiteAccount) -> String {
            let notes = account.notes.joined(separator: ",")
            return "\(account.number): \(account.amount) [\(notes)] -> \(account.partner?.number ?? -1)"
        }
    }
}
