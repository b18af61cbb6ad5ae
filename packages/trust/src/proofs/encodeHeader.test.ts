import { describe, expect, test } from 'vitest'
import { encodeHeader } from './encodeHeader.ts'
import { hashBytes } from './hashBytes.ts'
import { readHeader } from './readHeader.ts'
import { makeHeader } from './testing/madeBlock.ts'

/** Block 8,443,561 of Goerli, after London, as a node told of it that added a member of Shanghai before its time. */
const goerliBlock = {
  author: '0xf36f155486299ecaff2d4f5160ed5114c1f66000',
  difficulty: '0x0',
  extraData: '0x',
  gasLimit: '0x1c9c380',
  gasUsed: '0x17da4b3',
  hash: '0x20a4ab8531673d4eb095eba68b6de600df142bace1acb3d858bb886849487d01',
  logsBloom:
    '0xa180818000a19060d220801020106440001000040ce842080002821048006a2200200a252030503a40000410a006e80014a00cc20600802408000252007201030020105009491790441001085124608e445c804802050600103680800006000205100000229004a0810409184040280140000c115040806941100010002862200000018c2000903800100000100000024001430a3905300041290008080243204200102a106006101600017000c18200a040284000a4532010c00441020115b900000802400020bd2004b2000811080044800088022520494111181920962442a09388c1000400c804060026420e690404b0220080010001800001001c044816',
  miner: '0xf36f155486299ecaff2d4f5160ed5114c1f66000',
  mixHash: '0x63df8fc6602fc01733c9b7207dabf31124d38c7dd730de836f57447fd4daac26',
  nonce: '0x0000000000000000',
  number: '0x80d6a9',
  parentHash: '0x82fc240efeed325b9f237204edb0007f1e03819a351e9ea10a7c018b788769e9',
  receiptsRoot: '0x2c2290e84ff68cfa125645cc74148295650d808488dcaaa4d26fdffdc6acfaa4',
  sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
  stateRoot: '0x01bb6324ace5003f52a6e76611e463a3e0608c95872884cacf4ced749b30a4d8',
  timestamp: '0x63e0bf38',
  totalDifficulty: '0xa4a470',
  baseFeePerGas: '0x5c',
  transactionsRoot: '0x326f75273fb880b00edec6d45dcfa0f9f75b86600ddfefba16998fce49dcad14',
  withdrawalsRoot: '0x326f75273fb880b00edec6d45dcfa0f9f75b86600ddfefba16998fce49dcad14',
}

/** The first block of Ethereum. */
const genesis = {
  difficulty: '0x400000000',
  extraData: '0x11bbe8db4e347b4e8c937c1c8370e4b5ed33adb3db69cbdb7a38e1e50b1b82fa',
  gasLimit: '0x1388',
  gasUsed: '0x0',
  hash: '0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3',
  logsBloom: `0x${'00'.repeat(256)}`,
  miner: '0x0000000000000000000000000000000000000000',
  mixHash: `0x${'00'.repeat(32)}`,
  nonce: '0x0000000000000042',
  number: '0x0',
  parentHash: `0x${'00'.repeat(32)}`,
  receiptsRoot: '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421',
  sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
  stateRoot: '0xd7f8974fb5ac78d9ac099b9ad5018bedc2ce0a72dad1827a1709da30580f0544',
  timestamp: '0x0',
  transactionsRoot: '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421',
}

describe('a header', () => {
  test.each([
    ['of Goerli after London', goerliBlock],
    ['of the first block of Ethereum', genesis],
  ])('%s hashes to its block', (_name, block) => {
    const rlp = encodeHeader(block)
    expect(rlp === null ? null : hashBytes(rlp)).toBe(block.hash)
    expect(rlp === null ? null : readHeader(rlp)).toEqual({
      number: Number(block.number),
      hash: block.hash,
      parentHash: block.parentHash,
      timestamp: Number(block.timestamp),
      receiptsRoot: block.receiptsRoot,
      headerRlp: rlp,
    })
  })

  test.each([0, 1, 2, 3, 4, 5, 6])('with %i members of later forks hashes to its block', (forks) => {
    const block = makeHeader(1_000_000, `0x${'11'.repeat(32)}`, forks)
    const rlp = encodeHeader(block)
    expect(rlp === null ? null : hashBytes(rlp)).toBe(block['hash'])
  })

  test.each(Object.keys(genesis))('is of no known form when its %s is another or missing', (member) => {
    const { [member]: value, ...others } = genesis as Record<string, string>
    const last = value!.endsWith('1') ? '2' : '1'
    expect(encodeHeader({ ...others, [member]: `${value!.slice(0, -1)}${last}` })).toBeNull()
    expect(encodeHeader(others)).toBeNull()
    expect(encodeHeader({ ...others, [member]: '0xzz' })).toBeNull()
  })

  test('is of no known form where a chain hashes more than its members', () => {
    const block = makeHeader(7, `0x${'11'.repeat(32)}`, 6)
    expect(encodeHeader({ ...block, hash: `0x${'22'.repeat(32)}` })).toBeNull()
  })
})
