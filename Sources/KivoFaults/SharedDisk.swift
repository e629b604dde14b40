import KivoEngine
import KivoJournal

/// A disk in memory with one file name that several processes use. Each process can be killed. The disk computes all possible
/// results of a loss of power.
///
/// Data that a killed process wrote stays in the cache, where others read it. A loss of power leaves, for each sector, any
/// version since the last flush; for the size, any that the file had; for the name, any file that had it. The file of locks is
/// never flushed.
final class SharedDisk: Sendable {
    static let sectorSize = 512

    struct File: Sendable {
        /// The bytes that reading returns.
        var cache: [UInt8] = []
        /// The bytes that every loss of power leaves.
        var platter: [UInt8] = []
        /// The versions of sectors since the last flush, by sector number.
        var versions: [Int: [[UInt8]]] = [:]
        /// The sizes since the last flush; the current one is the last.
        var sizes: [Int] = []
    }

    struct State: Sendable {
        var files: [File]
        /// The files that had the name since the folder was flushed; the current one is the last.
        var names = [0]
        var published: PublishedEnd?
        /// The process that holds the lock, and the number of times that it locked it.
        var lock: (process: Int, depth: Int)?
        var random: SeededNumbers
        /// The possible results of a loss of power since ``SharedDisk/takeImages()`` was called, by their hashes.
        var images: [Int: [UInt8]] = [:]
        var imageCount = 0
    }

    let state: Lock<State>
    /// The number up to which all images of a state are taken. Of more images, a selection is taken.
    private let mostImages: Int

    init(_ bytes: [UInt8] = [], seed: UInt64, mostImages: Int = 48) {
        self.mostImages = mostImages
        state = Lock(State(files: [File(cache: bytes, platter: bytes)], random: SeededNumbers(seed)))
    }

    /// Returns the possible results of a loss of power at any time since the last call.
    func takeImages() -> [[UInt8]] {
        state.withLock { state in
            defer { state.images = [:] }
            return state.images.sorted { $0.key < $1.key }.map(\.value)
        }
    }

    /// Whether the file has no bytes yet.
    var isEmpty: Bool { state.withLock { $0.files[$0.named].cache.isEmpty } }

    /// The number of images so far.
    var imageCount: Int { state.withLock { $0.imageCount } }

    /// Changes the state, and records the possible results of a loss of power.
    func change(_ body: (inout State) -> Void) {
        state.withLock { state in
            body(&state)
            state.takeImages(atMost: mostImages)
        }
    }
}

extension SharedDisk.State {
    var named: Int { names.last! }

    mutating func put(_ bytes: ArraySlice<UInt8>, at offset: Int, _ file: Int) {
        if bytes.isEmpty { return }
        let end = offset + bytes.count
        resize(file, atLeast: end)
        files[file].cache.withUnsafeMutableBytes { cache in
            bytes.withUnsafeBytes {
                UnsafeMutableRawBufferPointer(rebasing: cache[offset..<end]).copyMemory(from: $0)
            }
        }
        note(offset..<end, file)
    }

    private mutating func resize(_ file: Int, atLeast size: Int) {
        let grown = size - files[file].cache.count
        guard grown > 0 else { return }
        files[file].cache += [UInt8](repeating: 0, count: grown)
        files[file].sizes.append(size)
    }

    /// Truncates a file. After a power loss, the truncated sectors may have their old contents, even if the file has grown again.
    mutating func truncate(_ file: Int, to size: Int) {
        let end = files[file].cache.count
        guard size < end else { return }
        files[file].cache.withUnsafeMutableBytes {
            _ = UnsafeMutableRawBufferPointer(rebasing: $0[size..<end]).initializeMemory(
                as: UInt8.self, repeating: 0)
        }
        note(size..<end, file)
        files[file].cache.removeLast(end - size)
        files[file].sizes.append(size)
    }

    private mutating func note(_ range: Range<Int>, _ file: Int) {
        for sector in range.lowerBound / SharedDisk.sectorSize...(range.upperBound - 1)
            / SharedDisk.sectorSize
        {
            let start = sector * SharedDisk.sectorSize
            var bytes = Array(
                files[file].cache[start..<min(start + SharedDisk.sectorSize, files[file].cache.count)])
            bytes += [UInt8](repeating: 0, count: SharedDisk.sectorSize - bytes.count)
            if files[file].versions[sector]?.last != bytes {
                files[file].versions[sector, default: []].append(bytes)
            }
        }
    }

    mutating func flush(_ file: Int) {
        for (sector, versions) in files[file].versions { settle(file, sector, versions.last!) }
        settleSize(file, files[file].cache.count)
        files[file].versions = [:]
        files[file].sizes = []
    }

    /// Writes a part of the unflushed data, and drops the rest, as a failed flush does.
    mutating func failFlush(_ file: Int) {
        for (sector, versions) in files[file].versions.sorted(by: { $0.key < $1.key }) {
            let version = random.below(versions.count + 1)
            if version > 0 { settle(file, sector, versions[version - 1]) }
        }
        files[file].versions = [:]
    }

    private mutating func settle(_ file: Int, _ sector: Int, _ bytes: [UInt8]) {
        let start = sector * SharedDisk.sectorSize
        settleSize(file, max(files[file].platter.count, start + SharedDisk.sectorSize))
        files[file].platter.replaceSubrange(start..<start + SharedDisk.sectorSize, with: bytes)
    }

    private mutating func settleSize(_ file: Int, _ size: Int) {
        let grown = size - files[file].platter.count
        if grown > 0 {
            files[file].platter += [UInt8](repeating: 0, count: grown)
        } else {
            files[file].platter.removeLast(-grown)
        }
    }

    // MARK: Images

    mutating func takeImages(atMost most: Int) {
        for file in Set(names) {
            let dirty = files[file].versions.sorted { $0.key < $1.key }
            // Sectors written after the end of the file are invisible.
            let sizes = [min(files[file].platter.count, files[file].cache.count)] + files[file].sizes
            var count = sizes.count
            for (_, versions) in dirty where count <= most { count *= versions.count + 1 }
            keepTornPages(file, dirty)
            if count <= most {
                for number in 0..<count {
                    var rest = number
                    func next(_ bound: Int) -> Int {
                        defer { rest /= bound }
                        return rest % bound
                    }
                    let size = sizes[next(sizes.count)]
                    keep(file, size: size, dirty.map { ($0.key, next($0.value.count + 1)) })
                }
            } else {
                takeSomeImages(file, dirty, sizes, most)
            }
        }
    }

    /// Adds images without a page of the header that is being written. A disk with blocks larger than its sectors may lose such a
    /// page completely.
    private mutating func keepTornPages(_ file: Int, _ dirty: [(key: Int, value: [[UInt8]])]) {
        let pageSize = JournalError.leastFileSize
        let torn = Set(dirty.map { $0.key * SharedDisk.sectorSize / pageSize })
            .filter { $0 * pageSize < JournalError.recordsOffset }
        guard !torn.isEmpty, files[file].platter.count > JournalError.recordsOffset else { return }
        keep(file, size: files[file].cache.count, dirty.map { ($0.key, $0.value.count) }) { bytes in
            for page in torn { for offset in page * pageSize..<(page + 1) * pageSize { bytes[offset] = 0 } }
        }
    }

    private mutating func takeSomeImages(
        _ file: Int, _ dirty: [(key: Int, value: [[UInt8]])], _ sizes: [Int], _ most: Int
    ) {
        // Images with many sectors are large.
        let rounds = dirty.count > 64 ? max(most / 8, 2) : most
        for round in 0..<rounds {
            let size = sizes[round == 0 ? sizes.count - 1 : random.below(sizes.count)]
            let cut = random.below(dirty.count + 1)
            let form = round == 0 ? 0 : random.below(6)
            let choice = dirty.enumerated().map { index, sector -> (Int, Int) in
                let newest = sector.value.count
                return switch form {
                case 0: (sector.key, newest)
                case 1: (sector.key, index < cut ? newest : 0)
                case 2: (sector.key, index < cut ? 0 : newest)
                case 3: (sector.key, index == cut ? newest : 0)
                case 4: (sector.key, index == cut ? 0 : newest)
                default: (sector.key, random.below(newest + 1))
                }
            }
            keep(file, size: size, choice)
        }
    }

    private mutating func keep(
        _ file: Int, size: Int, _ choice: [(sector: Int, version: Int)],
        damaging damage: (inout [UInt8]) -> Void = { _ in }
    ) {
        var bytes = files[file].platter
        if bytes.count > size { bytes.removeLast(bytes.count - size) }
        bytes += [UInt8](repeating: 0, count: size - bytes.count)
        bytes.withUnsafeMutableBytes { bytes in
            for (sector, version) in choice where version > 0 {
                let start = sector * SharedDisk.sectorSize
                guard start < size else { continue }
                files[file].versions[sector]![version - 1].withUnsafeBytes {
                    let part = UnsafeRawBufferPointer(rebasing: $0.prefix(size - start))
                    UnsafeMutableRawBufferPointer(rebasing: bytes[start..<start + part.count]).copyMemory(
                        from: part)
                }
            }
        }
        damage(&bytes)
        var hasher = Hasher()
        bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        if images.updateValue(bytes, forKey: hasher.finalize()) == nil { imageCount += 1 }
    }
}
