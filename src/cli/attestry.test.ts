import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

const program = fileURLToPath(new URL('./attestry.js', import.meta.url))

/**
 * The allocator's threshold and the number of V8's helper threads at each start of the runtime, while the program runs a
 * command that fails at once. Null: the runtime's own.
 */
function settingsDuring(command: string, environment: NodeJS.ProcessEnv = {}): unknown {
  const print =
    'data:text/javascript,console.log(JSON.stringify([process.env.MALLOC_MMAP_THRESHOLD_ ?? null, ' +
    "process.execArgv.find((flag) => flag.startsWith('--v8-pool-size')) ?? null]))"
  const args = ['--import', print, program, command, '--config', '/dev/null/none.yaml']
  const { stdout, stderr } = spawnSync(process.execPath, args, { env: environment, encoding: 'utf8' })
  expect(stderr).toContain('none.yaml')
  return stdout
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line))
}

test.runIf(process.platform === 'linux')(
  'a process that indexes starts anew with settings of its memory, unless the environment has some',
  () => {
    const helpers = Math.min(4, Math.max(1, availableParallelism() - 1))
    expect(settingsDuring('index')).toEqual([
      [null, null],
      ['131072', `--v8-pool-size=${helpers}`],
    ])
    expect(settingsDuring('index', { MALLOC_ARENA_MAX: '1' })).toEqual([[null, null]])
  },
)

describe('an older Node.js, which starts the runtime beside it,', () => {
  let folder: string
  const started: number[] = []

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'attestry-launcher-'))
    const chain = '{ chainId: 11155111, rpc: ["http://127.0.0.1:1"], protocols: [sign] }'
    writeFileSync(
      join(folder, 'attestry.yaml'),
      `server: { workers: 1, explorer: false }\nchains: [${chain}]\n`,
    )
  })

  afterEach(() => {
    for (const pid of started.splice(0)) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // It has ended.
      }
    }
    rmSync(folder, { recursive: true, force: true })
  })

  /** Starts a service by a process that takes itself for an older Node.js; resolves when it serves. */
  async function startByLauncher() {
    const old =
      "data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.0.0'}})"
    const printPid = 'data:text/javascript,console.log(process.pid)'
    const launcher = spawn(process.execPath, ['--import', old, program, 'serve', '--port', '0'], {
      cwd: folder,
      env: { ...process.env, NODE_OPTIONS: `--import ${printPid}` },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let text = ''
    for await (const piece of launcher.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
      text += String(piece)
      if (text.includes('"serving"')) break
    }
    const [, runtime] = text.split('\n').filter((line) => /^[0-9]+$/.test(line))
    started.push(Number(launcher.pid), Number(runtime))
    return { launcher, runtime: Number(runtime) }
  }

  test('ends the program even where it is killed itself', async () => {
    const { launcher } = await startByLauncher()
    // The runtime has the other end of this pipe too.
    const ended = once(launcher.stdout.resume(), 'end')
    launcher.kill('SIGKILL')
    await expect(ended).resolves.toBeDefined()
  })

  test('ends by the signal that ended the program', async () => {
    const { launcher, runtime } = await startByLauncher()
    const ended = once(launcher, 'exit')
    process.kill(runtime, 'SIGKILL')
    expect(await ended).toEqual([null, 'SIGKILL'])
  })
})
