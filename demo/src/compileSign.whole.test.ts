import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { compileSolidity } from './compileSolidity.ts'
import { compileSign } from './compileSign.ts'

const tiny = { 'Tiny.sol': 'pragma solidity ^0.8.20; contract Tiny { uint256 public number = 26; }' }
const wanted = ['Tiny.sol:Tiny']

describe('the Solidity compiler', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'attestry-test-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  test('keeps its results, and needs nothing but them the next time', async () => {
    const cacheFolders = [join(folder, 'deep', 'cache')]
    const first = await compileSolidity(tiny, wanted, { cacheFolders })
    expect(first['Tiny.sol:Tiny']?.bytecode).toMatch(/^0x60[0-9a-f]+$/)
    const [file = ''] = readdirSync(join(folder, 'deep', 'cache'))
    expect(readdirSync(join(folder, 'deep', 'cache'))).toHaveLength(1)
    const changed = { 'Tiny.sol:Tiny': { abi: [], bytecode: '0x00', deployedBytecode: '0x00' } }
    writeFileSync(join(folder, 'deep', 'cache', file), JSON.stringify(changed))
    expect(await compileSolidity(tiny, wanted, { cacheFolders })).toEqual(changed)
  })

  test('does not take the result of other sources for its own', async () => {
    const other = { 'Tiny.sol': tiny['Tiny.sol'].replace('26', '27') }
    const options = { cacheFolders: [folder] }
    expect(await compileSolidity(other, wanted, options)).not.toEqual(
      await compileSolidity(tiny, wanted, options),
    )
  })

  test('compiles again when the kept result is damaged or cannot be written', async () => {
    const blocked = join(folder, 'file')
    writeFileSync(blocked, '')
    const cacheFolders = [join(blocked, 'cache')]
    const artifacts = await compileSolidity(tiny, wanted, { cacheFolders })
    expect(artifacts['Tiny.sol:Tiny']?.abi).toHaveLength(1)
  })

  test('says what does not compile', async () => {
    await expect(
      compileSolidity({ 'Bad.sol': 'contract Bad { uint x = ; }' }, ['Bad.sol:Bad'], {
        cacheFolders: [folder],
      }),
    ).rejects.toThrow(/^The contracts do not compile: .*Expected primary expression/)
    expect(readdirSync(folder)).toEqual([])
  })

  test('can be stopped', async () => {
    const stopping = new AbortController()
    const compiling = compileSolidity(tiny, wanted, { cacheFolders: [folder], signal: stopping.signal })
    stopping.abort(new Error('enough'))
    await expect(compiling).rejects.toThrow('enough')
  })
})

describe('Sign Protocol', () => {
  test('compiles to code that a chain accepts', async () => {
    const { sign, proxy } = await compileSign()
    expect(sign.deployedBytecode.length / 2 - 1).toBeLessThanOrEqual(24_576)
    expect(proxy.bytecode.length).toBeGreaterThan(2)
  })
})
