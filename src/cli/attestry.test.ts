import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const program = fileURLToPath(new URL('./attestry.js', import.meta.url))

/** The allocator's threshold at each start of the runtime while the program runs a command that fails at once. */
function thresholdsDuring(command: string, environment: NodeJS.ProcessEnv = {}): unknown {
  const print = 'data:text/javascript,console.log(JSON.stringify(process.env.MALLOC_MMAP_THRESHOLD_ ?? null))'
  const args = ['--import', print, program, command, '--config', '/dev/null/none.yaml']
  const { stdout, stderr } = spawnSync(process.execPath, args, { env: environment, encoding: 'utf8' })
  expect(stderr).toContain('none.yaml')
  return stdout
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line))
}

test.runIf(process.platform === 'linux')(
  'a process that indexes starts anew with settings of its allocator, unless the environment has some',
  () => {
    expect(thresholdsDuring('index')).toEqual([null, '131072'])
    expect(thresholdsDuring('index', { MALLOC_ARENA_MAX: '1' })).toEqual([null])
  },
)
