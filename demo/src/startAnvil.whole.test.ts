import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createDevClient } from './devChain.ts'
import { startAnvil } from './startAnvil.ts'

describe('anvil', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'attestry-test-'))
    vi.stubEnv('TMPDIR', folder)
  })
  afterEach(() => {
    vi.unstubAllEnvs()
    rmSync(folder, { recursive: true, force: true })
  })

  test('serves the chain asked for on a port of its own, and is gone when stopped, files and all', async () => {
    const [first, second] = await Promise.all([
      startAnvil({ chainId: 31_337, genesisTimeS: 1_700_000_000 }),
      startAnvil({ chainId: 7 }),
    ])
    expect(await createDevClient(first.url).getChainId()).toBe(31_337)
    expect(await createDevClient(second.url).getChainId()).toBe(7)
    const genesis = await createDevClient(first.url).getBlock({ blockNumber: 0n })
    expect(genesis.timestamp).toBe(1_700_000_000n)
    await Promise.all([first.stop(), second.stop(), first.stop()])
    expect(isRunning(first.pid)).toBe(false)
    expect(readdirSync(folder)).toEqual([])
  })

  test('says in one sentence why it does not start', async () => {
    const running = await startAnvil({ chainId: 1 })
    const port = Number(new URL(running.url).port)
    await expect(startAnvil({ chainId: 1, port })).rejects.toThrow(
      /^anvil did not start: Address already in use[^.\n]*\.$/,
    )
    await running.stop()
  })

  test('is ended by the signal, during the start and after it', async () => {
    const early = new AbortController()
    const starting = startAnvil({ chainId: 1, signal: early.signal })
    early.abort(new Error('enough'))
    await expect(starting).rejects.toThrow('enough')
    const late = new AbortController()
    const anvil = await startAnvil({ chainId: 1, signal: late.signal })
    late.abort()
    await anvil.exited
    expect(isRunning(anvil.pid)).toBe(false)
  })

  test.runIf(process.platform === 'linux')('ends when its parent is killed', async () => {
    const script = `
      const { startAnvil } = await import(${JSON.stringify(new URL('./startAnvil.ts', import.meta.url).href)})
      console.log((await startAnvil({ chainId: 1 })).pid)
      setInterval(() => {}, 1000)`
    const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
      cwd: fileURLToPath(new URL('../..', import.meta.url)),
    })
    const [output]: unknown[] = await once(parent.stdout, 'data')
    const pid = Number(String(output))
    expect(isRunning(pid)).toBe(true)
    parent.kill('SIGKILL')
    await vi.waitFor(
      () => {
        expect(isRunning(pid)).toBe(false)
        expect(readdirSync(folder)).toEqual([])
      },
      { timeout: 60_000 },
    )
  })
})

/** Whether the process exists and is more than an exit code that nobody has asked for yet. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  if (process.platform !== 'linux') return true
  try {
    const [, state] = /\) (\w)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
    return state !== 'Z'
  } catch {
    return false
  }
}
