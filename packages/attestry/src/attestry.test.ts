import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const program = fileURLToPath(new URL('./attestry.js', import.meta.url))

test('an older Node.js is refused in one sentence, before the program is read', () => {
  const old =
    "data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.0.0'}})"
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', old, program, '--version'], {
    encoding: 'utf8',
  })
  expect({ status, stdout, stderr }).toEqual({
    status: 1,
    stdout: '',
    stderr: expect.stringMatching(/^attestry: Node\.js 24 or newer is needed; this is 20\.0\.0 [^\n]*\n$/),
  })
})

test.runIf(process.platform === 'linux')('worker processes inherit no threshold of the allocator', () => {
  const print = 'data:text/javascript,process.on("exit",()=>console.error(Object.keys(process.env).join()))'
  const env = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '1048576' }
  const args = ['--import', print, program, '--version']
  const { stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' })
  expect(
    stderr
      .trim()
      .split(',')
      .filter((name) => name.startsWith('MALLOC')),
  ).toEqual(['MALLOC_ARENA_MAX'])
})
