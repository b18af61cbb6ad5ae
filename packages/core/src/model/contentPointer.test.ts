import { expect, test } from 'vitest'
import { parseFilePointer, pointerOfKey } from './contentPointer.ts'

const cid = 'QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG'

/** An identifier of version 1 over SHA-256, raw, in base 32. */
const cidOf1 = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'

test.each([
  [`ipfs://${cid}`, `ipfs:${cid}`],
  [` https://gateway.example/ipfs/${cid} `, `ipfs:${cid}`],
  [cid, `ipfs:${cid}`],
  [`ipfs://ipfs/${cid}`, `ipfs:${cid}`],
  [`IPFS://${cid}`, `ipfs:${cid}`],
  [`ipfs:${cid}`, `ipfs:${cid}`],
  [`dweb:/ipfs/${cid}`, `ipfs:${cid}`],
  [`/ipfs/${cid}/`, `ipfs:${cid}`],
  [`ipfs://${cid}/agent.json`, `ipfs:${cid}/agent.json`],
  [`ipfs://${cid}/a%20b/ü.json?x=1#y`, `ipfs:${cid}/a%20b/%C3%BC.json`],
  [`https://ipfs.io/ipfs/${cid}?filename=agent.json`, `ipfs:${cid}`],
  [`http://127.0.0.1:8080/ipfs/${cid}/agent.json`, `ipfs:${cid}/agent.json`],
  [`https://${cidOf1}.ipfs.dweb.link/`, `ipfs:${cidOf1}`],
  [`https://${cidOf1.toUpperCase()}.IPFS.w3s.link/agent.json`, `ipfs:${cidOf1}/agent.json`],
  [`https://${cidOf1}.ipfs.localhost:8080`, `ipfs:${cidOf1}`],
  [`ipfs://${cidOf1.toUpperCase()}`, `ipfs:${cidOf1}`],
  [`ipfs://f01551220${'ab'.repeat(32)}`, `ipfs:f01551220${'ab'.repeat(32)}`],
  [`ipfs://${cid}/../agent.json`, null],
  [`ipfs://${cid}/%ff`, null],
  [`ipfs://${cid}/${'x'.repeat(900)}`, null],
  [`AR://${'a'.repeat(43)}?x=1`, `arweave:${'a'.repeat(43)}`],
  [`ar://${'a'.repeat(43)}/agent.json`, `arweave:${'a'.repeat(43)}/agent.json`],
  [`https://arweave.net/${'a'.repeat(43)}`, `arweave:${'a'.repeat(43)}`],
  [`https://xyz.arweave.net/${'a'.repeat(43)}`, `arweave:${'a'.repeat(43)}`],
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
