import { describe, expect, test } from 'vitest'
import { StartError } from '@attestry/core/errors/configErrors.ts'
import { createLogger, createUrlRedactor, formatLogLine } from './createLogger.ts'

describe('the log', () => {
  test('is one JSON object a line for programs', () => {
    const lines = capture({ human: false }, (log) => log.info({ chainId: 1 }, 'reached the head'))
    expect(lines).toHaveLength(1)
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T/),
      chainId: 1,
      msg: 'reached the head',
    })
  })

  test('is one short line for a person', () => {
    const lines = capture({ human: true }, (log) => log.warn({ chainId: 1, reason: 'a b' }, 'trying again'))
    expect(lines).toEqual([
      expect.stringMatching(/^\d\d:\d\d:\d\d warn: trying again {2}chainId=1 {2}reason="a b"$/),
    ])
  })

  test('shows an error by its sentence and code, and its stack only to developers', () => {
    const write = (log: ReturnType<typeof createLogger>) =>
      log.error({ err: new StartError('no\nluck') }, 'failed')
    expect(JSON.parse(capture({ human: false }, write)[0] ?? '')).toMatchObject({
      err: { message: 'no luck', code: 'START_FAILED' },
    })
    expect(capture({ human: false }, write)[0]).not.toContain('at ')
    expect(capture({ human: false, debug: true }, write)[0]).toContain('createLogger.test.ts')
  })

  test('repeats what another process says of an error', () => {
    const thrown = (log: ReturnType<typeof createLogger>) =>
      log.error({ err: new StartError('no luck') }, 'failed')
    const told = capture({ human: false }, thrown).map((line) => JSON.parse(line) as { readonly err: object })
    const repeated = capture({ human: false }, (log) => log.error({ err: told[0]?.err }, 'failed'))
    expect(JSON.parse(repeated[0] ?? '')).toMatchObject({ err: { message: 'no luck', code: 'START_FAILED' } })
  })

  test('holds no endpoint URL, whoever put it there', () => {
    const redact = createUrlRedactor(['https://rpc.example/v3/s3cr3ts3cr3t?k=1', 'http://127.0.0.1:8545'])
    const text = 'GET https://rpc.example/v3/s3cr3ts3cr3t?k=1 failed: /v3/s3cr3ts3cr3t?k=1'
    const lines = capture({ human: false, redact }, (log) => log.error(text))
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ msg: 'GET rpc.example failed: /…' })
  })

  test('leaves a line that is not JSON as it is', () => {
    expect(formatLogLine('hello')).toBe('hello')
  })
})

function capture(
  options: Partial<Parameters<typeof createLogger>[0]>,
  write: (log: ReturnType<typeof createLogger>) => void,
): string[] {
  const lines: string[] = []
  write(createLogger({ writeLine: (line) => lines.push(line), human: false, debug: false, ...options }))
  return lines
}
