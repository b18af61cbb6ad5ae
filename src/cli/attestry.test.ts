import { spawnSync } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

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
