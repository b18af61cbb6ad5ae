import { expect, test } from 'vitest'
import { parseFilePointer, pointerOfKey } from './contentPointer.ts'

const cid = 'QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG'

test.each([
  [`ipfs://${cid}`, `ipfs:${cid}`],
  [` https://gateway.example/ipfs/${cid} `, `ipfs:${cid}`],
  [cid, `ipfs:${cid}`],
  [`ar://${'a'.repeat(43)}`, `arweave:${'a'.repeat(43)}`],
  ['https://Agents.example/a b.json?x=1#me', 'https://agents.example/a%20b.json?x=1'],
  ['HTTPS://agents.example', 'https://agents.example/'],
  ['https://ü.example/ü', 'https://xn--tda.example/%C3%BC'],
  ['http://agents.example/a.json', null],
  ['https://user:secret@agents.example/', null],
  [`https://agents.example/${'x'.repeat(1_000)}`, null],
  [`https://agents.example/${'ü'.repeat(200)}`, null],
  ['data:application/json,{}', null],
  ['https://', null],
  ['', null],
  ['\0', null],
])('the file of %j has the key %j, which leads back to it', (text, key) => {
  const pointer = parseFilePointer(text)
  expect(pointer?.key ?? null).toBe(key)
  expect(pointer && pointerOfKey(pointer.key)).toEqual(pointer)
})
