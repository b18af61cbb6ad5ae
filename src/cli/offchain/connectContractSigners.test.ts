import { expect, test } from 'vitest'
import { startScriptedRpcServer } from '../../../test/harness/scriptedRpcServer.ts'
import { runAs } from '../../http/limits/askers.ts'
import { parseAddress, parseHex, noBytes, zeroAddress, zeroHash } from '../../model/hex.ts'
import { silentLogger } from '../createLogger.ts'
import { connectContractSigners } from './connectContractSigners.ts'

const chainId = 31_337

test('a client that has used its share of questions is sent away, and another one is answered', async () => {
  const endpoint = await startScriptedRpcServer(chainId)
  endpoint.on('eth_call', () => `0x${'1'.padStart(64, '0')}`)
  const requests = { perSecond: 10_000, inFlight: 4 }
  const signers = connectContractSigners([{ chainId, rpc: [endpoint.url], requests }], silentLogger())
  const ask = (name: string, hasKey = false) =>
    runAs({ name, hasKey }, () =>
      signers.ask({
        chainId,
        signer: parseAddress(`0x${'11'.repeat(20)}`) ?? zeroAddress,
        hash: zeroHash,
        signature: parseHex(`0x${'01'.repeat(65)}`) ?? noBytes,
      }),
    )
  const askAll = async () => {
    for (;;) await ask('192.0.2.1')
  }
  await expect(askAll()).rejects.toMatchObject({ statusCode: 503 })
  await expect(ask('192.0.2.1')).rejects.toMatchObject({ code: 'API_OVERLOADED' })
  expect(await ask('192.0.2.2')).toEqual({ kind: 'signed' })
  expect(await ask('key gatekeeper', true)).toEqual({ kind: 'signed' })
  await signers.close()
  await endpoint.close()
})
