import { createServer } from 'node:http'
import { once } from 'node:events'
import { text as readAll } from 'node:stream/consumers'
import { createOffchainSignClient } from '@attestry/test/sdks/offchainSignClient.ts'

export interface SignBodies {
  readonly attestation: string
  readonly toAddresses: string
  readonly schema: string
  readonly revocation: string
}

const fields = [
  { name: 'name', type: 'string' },
  { name: 'level', type: 'uint8' },
] as const

/** The bodies that the official client of Sign Protocol sends to Sign's service, for which a local server stands in. */
export async function makeSignBodies(): Promise<SignBodies> {
  const received: string[] = []
  const server = createServer((request, response) => {
    void readAll(request).then((body) => {
      if (request.method === 'POST') received.push(body)
      const data = { schemaId: 'SPS_1', attestationId: 'SPA_1', data: fields }
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ success: true, data }))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const address = server.address()
    if (address === null || typeof address === 'string') throw new TypeError('the server listens on a port')
    const client = createOffchainSignClient(`http://127.0.0.1:${address.port}`, 'none')
    const statement = { schemaId: 'SPS_1', data: { name: 'Ada', level: 3 }, validUntil: 1_900_000_000 }
    await client.createAttestation({ ...statement, recipients: ['ada@example.org'], indexingValue: 'ada' })
    const account = '0x878c92FD89d8E0B93Dc0a3c907A2adc7577e39c5'
    await client.createAttestation({ ...statement, recipients: [account], indexingValue: account })
    await client.createSchema({ name: 'Levels', data: [...fields] })
    await client.revokeAttestation('SPA_1', { reason: 'wrong level' })
  } finally {
    server.close()
  }
  const [attestation = '', toAddresses = '', schema = '', revocation = ''] = received
  return { attestation, toAddresses, schema, revocation }
}
