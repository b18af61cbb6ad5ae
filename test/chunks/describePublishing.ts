import { hash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Manifest } from '@attestry/archive/chunks/manifest.ts'
import { addToDigest, emptyDigest, formatSum } from '@attestry/store/layout/eventDigest.ts'
import { parseExportLine } from '@attestry/store/transfer/parseExportLine.ts'
import { firstCases, nightTest } from '../harness/nightly.ts'
import { runHere } from '../harness/runHere.ts'
import { spawnAttestry, type SpawnedAttestry } from '../harness/spawnAttestry.ts'
import { comparableLines } from '../harness/withoutTimes.ts'
import { createSimulatedChain, signShape, type SimulatedChain } from '../simulator/simulatedChain.ts'
import { startSimulatorServer, type SimulatorServer } from '../simulator/simulatorServer.ts'
import { startFolderServer } from './startFolderServer.ts'

const finality = 12

/**
 * The program publishes an index and begins with what it published, in processes of their own. `createDatabase` makes
 * an empty database, named in the folder, and returns its URL. `isSecond`: only what meets the database is tried.
 */
export function describePublishing(
  name: string,
  createDatabase: (folder: string, file: string) => Promise<string>,
  { isSecond = false }: { readonly isSecond?: boolean } = {},
): void {
  describe(name, () => {
    let folder: string
    let chain: SimulatedChain
    let main: ServedChain
    let other: ServedChain
    let published: string
    /** The export of the published index. */
    let exported: readonly string[]
    const processes: SpawnedAttestry[] = []
    /** The URLs of the databases by the names of the configurations. */
    const databases = new Map<string, string>()

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'attestry-publish-'))
      published = join(folder, 'published')
      main = await serveChain(31_337, 3_000)
      other = await serveChain(31_338, 60)
      ;({ chain } = main)
    })
    afterAll(async () => {
      for (const { child } of processes) child.kill('SIGKILL')
      await Promise.all([main, other].map((each) => each?.endpoint.close()))
      rmSync(folder, { recursive: true, force: true })
    })

    function run(args: readonly string[]): SpawnedAttestry {
      const spawned = spawnAttestry(args, { cwd: folder })
      processes.push(spawned)
      return spawned
    }

    async function configure(name: string, more = '', chains = [main]): Promise<string> {
      databases.set(name, await createDatabase(folder, name))
      return writeConfig(name, more, chains)
    }

    function writeConfig(name: string, more: string, chains: readonly ServedChain[]): string {
      const file = join(folder, `${name}.yaml`)
      const entries = chains.map(
        (each) => `
  - chainId: ${each.chain.chainId}
    name: Simulated
    rpc: ["${each.endpoint.url}"]
    contracts: [{ protocol: sign, address: "${each.chain.contracts.sign}", startBlock: 0 }]
    finality: ${finality}
    pollIntervalMs: 10`,
      )
      writeFileSync(
        file,
        `database: ${databases.get(name)}
server: { port: 0, explorer: false, workers: 1 }
${more}
chains:${entries.join('')}
`,
      )
      return file
    }

    /** Runs until the heads are reached, and stops; resolves with what was printed. */
    async function index(config: string, args: readonly string[] = [], chains = [main]): Promise<string> {
      const indexer = run(['start', '--config', config, ...args])
      await untilHeads(indexer, chains)
      indexer.child.kill('SIGTERM')
      const { code, stdout, stderr } = await indexer.waitForExit()
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      return stdout
    }

    async function untilHeads(indexer: SpawnedAttestry, chains: readonly ServedChain[]): Promise<void> {
      for (const each of chains) {
        await indexer.waitForLine(new RegExp(`reached the head at block ${each.chain.head()}"`), 280_000)
      }
    }

    async function exportOf(config: string): Promise<string[]> {
      const { code, stdout, stderr } = await runHere(['export', '--config', config], folder)
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      return comparableLines(stdout)
    }

    /** The lines of the main chain. */
    function ofMain(lines: readonly string[]): readonly string[] {
      return lines.filter(
        (line) => line.startsWith('{"type"') && line.includes(`"chainId":"${chain.chainId}"`),
      )
    }

    async function publish(config: string): Promise<string> {
      const { code, stdout, stderr } = await runHere(
        ['publish', '--config', config, '--to', published],
        folder,
      )
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      return stdout
    }

    test('an index is published beside its indexer, and others begin with it and go on', async () => {
      const source = await configure('source', '', [main, other])
      const live = run(['start', '--config', source])
      await untilHeads(live, [main, other])
      expect(await publish(source)).toMatch(
        /^chain \d+ \(Simulated\): \d+ events up to block 29\d\d in 1 chunks, 1 of them new$/m,
      )
      chain.mine(500)
      live.child.kill('SIGTERM')
      await live.waitForExit()
      await index(source)
      await publish(source)
      const server = await startFolderServer(published)
      try {
        const begun = await configure('begun')
        const printed = await index(begun, ['--from', server.url])
        expect(printed).toMatch(
          /300 of its \d+ spans of blocks, drawn at random,(?:[^;:]*,)? are what the endpoints say: forged or missing records in 1 % of the spans would have escaped with a chance of 4\.9 %, in 0\.1 % with 74 %/,
        )
        expect(server.requests[0]).toBe('/manifest.json')
        // The second start finds the chain at its head, and another one that joins it.
        const before = server.requests.length
        writeConfig('begun', '', [main, other])
        const second = await index(begun, ['--from', server.url], [main, other])
        expect(second).toMatch(/already: its published chunks are not asked for/)
        expect(second).toMatch(/blocks 0 to 48 are indexed from the chunks of 127/)
        // Once to be checked, and once to be indexed.
        const chunk = expect.stringMatching(/^\/31338\/0-48-/) as unknown
        expect(server.requests.slice(before)).toEqual(['/manifest.json', chunk, chunk])
        exported = await exportOf(source)
        expect(await exportOf(begun)).toEqual(exported)
      } finally {
        await server.close()
      }
    })

    test('a start that is killed while it loads or builds leaves nothing, and the next one begins anew', async () => {
      const begun = await configure('interrupted')
      for (const delayMs of firstCases(1, [null, 300, 700])) {
        const server = await startFolderServer(published, (path) => path.endsWith('.zst') && delayMs !== null)
        const starting = run(['start', '--config', begun, '--from', server.url])
        const { url } = JSON.parse(await starting.waitForLine(/answering 503/, 60_000)) as { url: string }
        await expect.poll(() => server.requests.some((path) => path.endsWith('.zst'))).toBe(true)
        expect(await (await fetch(`${url}/scan/chains`)).json()).toMatchObject({
          statusCode: 503,
          message: expect.stringMatching(
            /^The index is being built from published chunks .* of [\d,]+ events/,
          ),
        })
        if (delayMs === null) await starting.waitForLine(/lists and counts are built of them/, 60_000)
        else await new Promise((resolve) => setTimeout(resolve, delayMs))
        starting.child.kill('SIGKILL')
        await starting.waitForExit()
        await server.close()
      }
      await index(begun, ['--from', published])
      expect(ofMain(await exportOf(begun))).toEqual(ofMain(exported))
      expect(readdirSync(folder).filter((file) => file.includes('.import'))).toEqual([])
    })

    nightTest('a chain that joins another and is killed anywhere goes on with its chunks', async () => {
      const joined = await configure('joined', '', [other])
      const first = run(['start', '--config', joined])
      await first.waitForLine(/reached the head at block 60"/)
      first.child.kill('SIGKILL')
      await first.waitForExit()
      writeConfig('joined', '', [other, main])
      const server = await startFolderServer(published)
      try {
        // Events are written from the second reading of the chunk on.
        for (const delayMs of [0, 300, 1_000]) {
          const starting = run(['start', '--config', joined, '--from', server.url])
          const { url } = JSON.parse(await starting.waitForLine(/"serving"/)) as { url: string }
          expect((await fetch(`${url}/scan/chains`)).status).toBe(200)
          await starting.waitForLine(/are checked: 300 of its|its published chunks are not asked for/)
          await new Promise((resolve) => setTimeout(resolve, delayMs))
          starting.child.kill('SIGKILL')
          await starting.waitForExit()
        }
        expect(await index(joined, ['--from', server.url])).toMatch(
          /blocks \d+ to \d+ are indexed from the chunks of 127|already: its published chunks are not asked for/,
        )
        expect(ofMain(await exportOf(joined))).toEqual(ofMain(exported))
      } finally {
        await server.close()
      }
    })

    if (isSecond) return

    nightTest(
      'a publisher that is killed anywhere leaves the manifest before, and the next one goes on',
      async () => {
        const source = join(folder, 'source.yaml')
        const target = join(folder, 'killed')
        for (const delayMs of firstCases(1, [400, 150, 250, 700])) {
          const publisher = run(['publish', '--config', source, '--to', target])
          await new Promise((resolve) => setTimeout(resolve, delayMs))
          publisher.child.kill('SIGKILL')
          await publisher.waitForExit()
          const isWhole = !existsSync(join(target, 'manifest.json')) || readManifest(target).chains.length > 0
          expect(isWhole).toBe(true)
        }
        const { code } = await runHere(['publish', '--config', source, '--to', target], folder)
        expect(code).toBe(0)
        expect(readManifest(target).chains).toEqual(readManifest(published).chains)
        expect(
          readdirSync(target, { recursive: true }).filter((file) => String(file).endsWith('.part')),
        ).toEqual([])
      },
    )

    test('a publisher whose forgery fits its hashes and digests is found by the sample', async () => {
      const forged = join(folder, 'forged')
      await runHere(['publish', '--config', 'source.yaml', '--to', forged], folder)
      // Every hundredth attestation has another time; of these, a sample of half of the spans misses none but by a chance of 2^-9.
      const blocks = forge(forged, (line, at) =>
        at % 100 === 50 ? line.replace('"attestTimestamp":"1', '"attestTimestamp":"2') : line,
      )
      const begun = await configure('deceived', 'chunks: { sample: 1000 }')
      const { code, stderr } = await run(['start', '--config', begun, '--from', forged]).waitForExit()
      expect(code).toBe(1)
      const found =
        /^attestry: The chunks of .* are not what chain \d+ says: the first sampled block that differs is (\d+): changed: .*$/.exec(
          stderr.trim(),
        )
      expect(stderr).toMatch(/\n$/)
      expect(blocks).toContain(Number(found?.[1]))
      expect(await runHere(['status', '--config', begun], folder)).toMatchObject({
        stdout: expect.not.stringContaining('Simulated') as unknown,
      })
    })

    nightTest('records that were left out are found where they are missing', async () => {
      const lacking = join(folder, 'lacking')
      await runHere(['publish', '--config', 'source.yaml', '--to', lacking], folder)
      const blocks = forge(lacking, (line, at) => (at === 700 ? null : line), { digests: false })
      const begun = await configure('lacking')
      const { code, stderr } = await run(['start', '--config', begun, '--from', lacking]).waitForExit()
      expect(code).toBe(1)
      expect(stderr).toMatch(
        new RegExp(
          `a record was left out, added or changed; the first block that differs is ${blocks[0]} of chain ${chain.chainId}: missing: `,
        ),
      )
    })
  })
}

interface ServedChain {
  readonly chain: SimulatedChain
  readonly endpoint: SimulatorServer
}

async function serveChain(chainId: number, blocks: number): Promise<ServedChain> {
  const shape = signShape({ blocks: 30, eventBlocks: 6, attestations: 18 })
  const chain = createSimulatedChain({ seed: 39, chainId, shape })
  chain.mine(blocks)
  return { chain, endpoint: await startSimulatorServer(chain, { logRangeMax: 500 }) }
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as Manifest
}

/**
 * Changes or removes lines of all chunks, by their place among all lines, so that hashes, counts and digests fit.
 * Returns the blocks of the changed lines.
 */
function forge(
  folder: string,
  change: (line: string, at: number) => string | null,
  { digests = true }: { readonly digests?: boolean } = {},
): number[] {
  const manifest = readManifest(folder)
  const blocks: number[] = []
  let at = 0
  for (const chain of manifest.chains) {
    let sum = emptyDigest
    chain.events = 0
    for (const chunk of chain.chunks) {
      const file = join(folder, chunk.path)
      const lines = zstdDecompressSync(readFileSync(file))
        .toString()
        .trimEnd()
        .split('\n')
        .flatMap((line) => {
          const changed = change(line, at++)
          if (changed !== line)
            blocks.push((JSON.parse(line) as { readonly blockNumber: number }).blockNumber)
          return changed ?? []
        })
      const text = Buffer.from(lines.map((line) => `${line}\n`).join(''))
      const packed = zstdCompressSync(text)
      writeFileSync(file, packed)
      const events = lines.flatMap((line) => {
        const parsed = parseExportLine(line, 0)
        return parsed.kind === 'event' ? [parsed.stored.event] : []
      })
      sum = addToDigest(sum, events)
      Object.assign(chunk, {
        sha256: hash('sha256', packed),
        bytes: packed.length,
        textBytes: text.length,
        events: lines.length,
      })
      if (digests) chunk.digest = formatSum(sum)
      chain.events += lines.length
      chain.digest = chunk.digest
    }
  }
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest))
  return blocks
}
