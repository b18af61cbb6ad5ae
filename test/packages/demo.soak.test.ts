import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findFormProblems, root, run } from './packedFolder.ts'

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>
  readonly optionalDependencies: Readonly<Record<string, string>>
}

const folder = mkdtempSync(join(tmpdir(), 'attestry-demo-package-'))
const packed = join(folder, 'node_modules', '@attestry', 'demo')

/** The package as npm unpacks it, beside what its manifest lists and nothing else. */
beforeAll(() => {
  run(process.execPath, ['packaging/buildPackage.ts', '--demo'], root)
  run('npm', ['pack', './demo-package', '--pack-destination', folder, '--silent'], root)
  mkdirSync(packed, { recursive: true })
  const file = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? ''
  run('tar', ['-xzf', join(folder, file), '-C', packed, '--strip-components=1'], root)
  const { dependencies, optionalDependencies } = JSON.parse(
    readFileSync(join(packed, 'package.json'), 'utf8'),
  ) as Manifest
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    const link = join(folder, 'node_modules', name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), link)
  }
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('the package of the demo shows records and the explorer', async () => {
  const child = spawn(process.execPath, [join(packed, 'dist', 'demo', 'src', 'demo.js'), '--port', '0'], {
    cwd: folder,
    env: { ...process.env, NODE_ENV: '' },
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  try {
    let printed = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (text: Buffer) => {
        printed += text.toString()
      })
    }
    const url = () => /Explorer +(http:\S+)\//.exec(printed)?.[1]
    await expect.poll(url, { timeout: 90_000 }).toBeDefined()
    // Until the explorer is loaded, a page that says so comes with another status.
    const page = async () => {
      const answer = await fetch(`${url()}/`)
      return [answer.status, await answer.text()]
    }
    await expect.poll(page).toEqual([200, expect.stringContaining('<!doctype html>')])
    const total = async () => {
      const answer = await fetch(`${url()}/scan/attestations?size=1`)
      const { data } = (await answer.json()) as { readonly data: { readonly total?: number } }
      return data.total
    }
    await expect.poll(total, { timeout: 90_000 }).toBeGreaterThan(0)

    const read = async (path: string, init?: RequestInit) =>
      (await (await fetch(`${url()}${path}`, init)).json()) as { readonly data: { readonly rows: unknown[] } }
    // Each policy lets somebody through.
    const policies = async () => (await read('/scan/policies')).data.rows as { readonly name: string }[]
    const names = (await policies()).map(({ name }) => name)
    expect(names).toEqual(['kyc-level-2', 'verified-human'])
    for (const policy of names) {
      const allowed = async () => {
        const { rows } = (await read('/scan/attestations?size=100&revoked=false&protocol=eas')).data
        const subjects = (rows as { readonly recipients: readonly string[] }[]).flatMap(({ recipients }) =>
          recipients.filter((recipient) => /^0x[0-9a-f]{40}$/i.test(recipient)),
        )
        if (subjects.length === 0) return 0
        const answer = await read('/scan/gate', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ policy, subjects: [...new Set(subjects)] }),
        })
        return (answer.data.rows as { readonly verdict: string }[]).filter(
          ({ verdict }) => verdict === 'allow',
        ).length
      }
      await expect.poll(allowed, { timeout: 90_000 }).toBeGreaterThan(0)
    }
    const { status } = await fetch(`${url()}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: {
          protocolVersion: '2025-06-18',
          capabilities: {},
          clientInfo: { name: 'test', version: '0' },
        },
      }),
    })
    expect(status).toBe(200)
  } finally {
    child.kill('SIGTERM')
    await ended
  }
})

test('nothing is wrong with the form of the package', async () => {
  expect(await findFormProblems(packed)).toEqual([])
})
