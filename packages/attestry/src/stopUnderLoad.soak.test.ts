import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { demoEntry, spawnAttestry } from '@attestry/test/harness/spawnAttestry.ts'

/** Far above the limit of the program itself, which a busy machine stretches. */
const limitMs = 240_000
const burnersCount = 8

let folder: string
const burners: ChildProcess[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'attestry-stop-'))
})
afterEach(() => {
  for (const burner of burners.splice(0)) burner.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

test.each([0, 1])(
  'Ctrl-C on a busy machine ends every process of the demo and removes its files, with %d attestations at least',
  async (attestations) => {
    // All processes of the demo inherit this variable, by which they are found.
    const demo = spawnAttestry(['--port', '0'], {
      cwd: folder,
      entry: demoEntry,
      environment: { TMPDIR: folder },
    })
    const [url = ''] =
      /http:\S+latest-attestations/.exec(await demo.waitForLine(/latest-attestations/, limitMs)) ?? []
    await expect.poll(() => countRows(url), { timeout: limitMs }).toBeGreaterThanOrEqual(attestations)
    expect(processesOf(folder)).toContain(demo.child.pid)
    for (let i = 0; i < burnersCount; i++) {
      burners.push(spawn('/bin/sh', ['-c', 'while :; do :; done'], { stdio: 'ignore' }))
    }
    demo.child.kill('SIGINT')
    const { code, stderr } = await demo.waitForExit(limitMs)
    // The program ends itself by the signal where the machine is too busy for its own order.
    expect({ stderr, isStopped: code === 0 || code === null }).toEqual({ stderr: '', isStopped: true })
    await expect.poll(() => processesOf(folder)).toEqual([])
    expect(code === 0 ? readdirSync(folder) : []).toEqual([])
  },
  2 * limitMs,
)

async function countRows(url: string): Promise<number> {
  const answer = await fetch(url)
  const { data } = (await answer.json()) as { readonly data: { readonly rows: readonly unknown[] } }
  return data.rows.length
}

function processesOf(folderName: string): number[] {
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return ids.map(Number).filter((id) => {
    try {
      return readFileSync(`/proc/${id}/environ`, 'latin1').includes(`TMPDIR=${folderName}`)
    } catch {
      // The process has ended.
      return false
    }
  })
}
