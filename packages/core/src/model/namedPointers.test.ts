import { expect, test } from 'vitest'
import { contentIdOfFile } from './contentId.ts'
import type { DecodePayload } from './decodedPayload.ts'
import { zeroHash, type Hex } from './hex.ts'
import { namedPointers } from './namedPointers.ts'

const cid = contentIdOfFile(Buffer.from('{}'))

/** The keys of what feedback with a hash of its file names. */
function keysOf(feedbackHash: string, protocol: 'erc8004' | 'eas' = 'erc8004') {
  const decodePayload: DecodePayload = () => ({
    kind: 'decoded',
    values: [
      { name: 'endpoint', type: 'string', value: `ipfs://${cid}` },
      { name: 'feedbackURI', type: 'string', value: `ipfs://${cid}` },
      { name: 'feedbackHash', type: 'bytes32', value: feedbackHash },
    ],
  })
  const record = {
    key: { protocol },
    detail: { data: '0x' as Hex, dataLocation: 'ONCHAIN' },
    schema: { payloadFieldsJson: '[{"type":"string"}]' },
  } as const
  return namedPointers(record, decodePayload).map(({ pointer }) => pointer?.key)
}

test('a file of an agent is known by the hash that its record gives', () => {
  const hash = `0x${'ab'.repeat(32)}`
  expect(keysOf(hash)).toEqual([`ipfs:${cid}`, `ipfs:${cid}#${hash}`])
  expect(keysOf(zeroHash)).toEqual([`ipfs:${cid}`, `ipfs:${cid}`])
  expect(keysOf(hash, 'eas')).toEqual([`ipfs:${cid}`, `ipfs:${cid}`])
})
