import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  constants,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { firstCases, nightTest } from '@attestry/test/harness/nightly.ts'
import { runHere } from '@attestry/test/harness/runHere.ts'
import { demoEntry, programEntry, spawnAttestry } from '@attestry/test/harness/spawnAttestry.ts'
import { createSimulatedChain } from '@attestry/test/simulator/simulatedChain.ts'
import { startSimulatorServer, type SimulatorServer } from '@attestry/test/simulator/simulatorServer.ts'
import { localIdOfCounter } from '@attestry/core/model/compositeId.ts'
import { parseAddress, zeroAddress } from '@attestry/core/model/hex.ts'
import { eventPosition } from '@attestry/core/model/position.ts'
import { buildProof } from '@attestry/trust/proofs/buildProof.ts'
import { encodeBlock } from '@attestry/trust/proofs/encodeBlock.ts'
import { makeBlock, signLog } from '@attestry/trust/proofs/testing/madeBlock.ts'

/**
 * Every command that prints, on a pipe that is full when the command writes first and is then read slowly. A process
 * that exits before the pipe has taken everything loses its output without an error.
 */
const folder = mkdtempSync(join(tmpdir(), 'attestry-slow-'))
let server: SimulatorServer

beforeAll(async () => {
  const chain = createSimulatedChain({ seed: 7 })
  chain.mine(400)
  server = await startSimulatorServer(chain)
  writeFileSync(
    join(folder, 'attestry.yaml'),
    `database: sqlite:index.db
server: { workers: 1, explorer: false, port: 0 }
chains:
  - chainId: 31337
    rpc: ["${server.url}"]
    contracts: [{ protocol: sign, address: "${chain.contracts.sign}", startBlock: 0 }]
    finality: 12
`,
  )
  const indexer = spawnAttestry(['index'], { cwd: folder })
  await indexer.waitForLine(/reached the head/)
  indexer.child.kill('SIGTERM')
  await indexer.waitForExit()
  await runHere(['export', '-o', 'index.ndjson'], folder)
  writeFileSync(join(folder, 'proof.json'), JSON.stringify(await makeProof()))
})
afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

describe('nothing is lost when the reader of the pipe is slow', () => {
  test.each(
    firstCases<[readonly string[], RegExp, Readonly<Record<string, string>>?]>(4, [
      [['--help'], /docs\/configure\.md\.\n\n?$/],
      [['export'], /^\{"format"[^]*\n\{"type":"end".*\}\n$/],
      [['verify', '--seed', '1'], /^verifying .*\n[^]*\nno difference\n$/],
      [['status'], /^CHAIN .*\n.* 31337 .*\n\n *ID .*\n31337 .*\n$/],
      [['--version'], /^\d+\.\d+\.\d+\n$/],
      [['status', '--json'], /^\[\n[^]*\n\]\n$/],
      [['import', '-i', 'index.ndjson'], /^Imported 1 chains .*\n$/, { DATABASE_URL: 'sqlite:imported.db' }],
      [['copy', '--from', 'sqlite:index.db', '--to', 'sqlite:copied.db'], /^Copied 1 chains .*\n$/],
      [['verify', '--seed', '1', '--json'], /^\{"type":"verification"[^]*\n\{"type":"summary".*\}\n$/],
      [['check-proof', 'proof.json'], /^Valid\. [^]*\n {2}- .*\n$/],
    ]),
  )('by %j', async (args, whole, environment = {}) => {
    expect(await runAtFullPipe(args, 'stdout', environment)).toEqual({
      code: 0,
      text: expect.stringMatching(whole),
    })
  })

  test.each(firstCases(1, [[['start']], [['index']], [['serve']]]))(
    'by %j when it is stopped',
    async (args) => {
      const { code, text } = await runAtFullPipe(args, 'stdout', {}, { lastWords: /"stopping"/ })
      // The indexer may still reach the head while the process stops.
      expect({ code, text }).toEqual({
        code: 0,
        text: expect.stringMatching(/^(\{.*\}\n)*\{.*"msg":"stopping"\}\n(\{.*\}\n)*$/),
      })
    },
  )

  nightTest('by the demo when it is stopped at its start', async () => {
    const { code, text } = await runAtFullPipe(
      ['--port', '0'],
      'stdout',
      {},
      { lastWords: /[^]/, program: demoEntry },
    )
    expect({ code, text }).toEqual({ code: 0, text: expect.stringContaining('Ctrl-C ends everything') })
  })

  test('by a complaint', async () => {
    expect(await runAtFullPipe(['strat'], 'stderr')).toEqual({
      code: 2,
      text: 'attestry: "strat" is not a command; did you mean start?\n',
    })
  })
})

/** Copies to file descriptor 3 what is written to a stream. */
const copyWrites = (name: 'stdout' | 'stderr') =>
  `data:text/javascript,import { writeSync } from 'node:fs'
const write = process.${name}.write
process.${name}.write = function (...args) {
  const result = write.apply(this, args)
  writeSync(3, args[0])
  return result
}`

async function runAtFullPipe(
  args: readonly string[],
  name: 'stdout' | 'stderr',
  environment: Readonly<Record<string, string>> = {},
  stop?: { readonly lastWords: RegExp; readonly program?: string },
): Promise<{ readonly code: number | null; readonly text: string }> {
  const path = join(folder, `${name}.pipe`)
  execFileSync('mkfifo', [path])
  // Opened twice: the child makes its own end block when it exits.
  const pipe = openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
  const end = openSync(path, constants.O_WRONLY)
  rmSync(path)
  const { PATH = '', HOME = '', NODE_COMPILE_CACHE = '' } = process.env
  const filled = fillPipe(pipe)
  const child = spawn(
    process.execPath,
    ['--import', copyWrites(name).replaceAll('\n', ';'), stop?.program ?? programEntry, ...args],
    {
      cwd: folder,
      env: { PATH, HOME, NODE_COMPILE_CACHE, ...environment },
      stdio: ['ignore', name === 'stdout' ? end : 'ignore', name === 'stderr' ? end : 'ignore', 'pipe'],
    },
  )
  closeSync(end)
  let code: number | null | undefined
  const exited = once(child, 'exit').then(([exitCode]) => {
    code = exitCode as number | null
  })
  const writes = child.stdio[3] as Readable
  let copy = ''
  writes.setEncoding('utf8').on('data', (text: string) => {
    copy += text
  })
  const written = async (pattern: RegExp) => {
    while (!pattern.test(copy)) await once(writes, 'data')
  }
  try {
    await Promise.race([written(/[^]/), exited])
    if (stop !== undefined) {
      child.kill('SIGTERM')
      await Promise.race([written(stop.lastWords), exited])
    }
    let text = ''
    for (;;) {
      const hasExited = code !== undefined
      const piece = readPiece(pipe)
      text += piece
      if (hasExited && piece === '') break
      // The pause is the reader's slowness, and waits for nothing.
      await delay(1)
    }
    return { code: code ?? null, text: text.slice(filled) }
  } finally {
    child.kill('SIGKILL')
    await exited
    closeSync(pipe)
  }
}

/** Fills the pipe to its last byte; answers how many that were. */
function fillPipe(pipe: number): number {
  let filled = 0
  for (const size of [4_096, 1]) {
    try {
      for (;;) filled += writeSync(pipe, 'x'.repeat(size))
    } catch (error) {
      if (!isAgain(error)) throw error
    }
  }
  return filled
}

function readPiece(pipe: number): string {
  const bytes = Buffer.alloc(8_192)
  try {
    return bytes.toString('latin1', 0, readSync(pipe, bytes))
  } catch (error) {
    if (isAgain(error)) return ''
    throw error
  }
}

function isAgain(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EAGAIN'
}

async function makeProof() {
  const contract = parseAddress('0x878c92FD89d8E0B93Dc0a3c907A2adc7577e39c5') ?? zeroAddress
  const made = await makeBlock(77, [{ type: 2, logs: [signLog('AttestationMade', contract, 26n, 'key')] }], 6)
  const block = await encodeBlock(made.block, made.receipts)
  if (block.kind === 'unprovable') throw new Error(block.reason)
  return await buildProof(block, {
    event: 'attestation',
    key: { chainId: 10, localId: localIdOfCounter(26n) },
    protocol: 'sign',
    position: eventPosition(77, 0),
    contracts: [contract],
  })
}
