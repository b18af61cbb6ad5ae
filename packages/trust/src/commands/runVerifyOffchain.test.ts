import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { documentedEnvelope, documentedLink } from '../statements/testing/publishedSamples.ts'
import { readInput } from '@attestry/host/readInput.ts'
import { runVerifyOffchain } from './runVerifyOffchain.ts'

async function run(text: string): Promise<readonly string[]> {
  const lines: string[] = []
  const write = async (line: string) => void lines.push(line)
  const input = await readInput('-', Readable.from([text]), 'an off-chain attestation')
  await runVerifyOffchain(input, null, write).catch((error: unknown) => {
    lines.push(error instanceof Error ? `${error.name}: ${error.message}` : '')
  })
  return lines
}

test('the checks of a file are written one a line, with what was not checked', async () => {
  for (const text of [documentedEnvelope, documentedLink]) {
    const lines = await run(text)
    expect(lines[0]).toBe('Valid, by these checks:')
    expect(lines.slice(1, 6).map((line) => line.slice(2, 16).trim())).toEqual([
      'ok  format',
      'ok  uid',
      'ok  domain',
      'ok  signature',
      'ok  expiry',
    ])
    expect(lines[6]).toMatch(/^Not checked: schema, payload and revocation\./)
  }
})

test('a check that fails is the error, behind the lines', async () => {
  const lines = await run(documentedEnvelope.replace('"time":1694227180', '"time":1694227181'))
  expect(lines[0]).toBe('Not valid:')
  expect(lines[2]).toMatch(/^ {2}no {2}uid/)
  expect(lines.at(-1)).toMatch(
    /^ProofInvalidError: The attestation does not hold: The content has the uid 0x/,
  )
})

test('a file without an off-chain attestation is refused with the reason', async () => {
  expect(await run('hello')).toEqual([
    'ProofMalformedError: The standard input is no off-chain attestation: The input is neither JSON nor a link with #attestation=.',
  ])
  const missing = readInput('/nowhere/at-all', Readable.from([]), 'an off-chain attestation')
  await expect(missing).rejects.toThrow(/does not exist; give the path of an off-chain attestation/)
})
