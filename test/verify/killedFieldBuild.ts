import type { ChainIdentity } from '@attestry/core/index/indexWriter.ts'
import { openSqliteWriter } from '@attestry/store/sqlite/openSqliteWriter.ts'
import { allFields } from '../harness/fieldIndexing.ts'
import { projections } from '../harness/projections.ts'

/**
 * A process that indexes the fields of the stored attestations of a chain, 20 in a transaction. Its arguments are the
 * path of the database, the identity of the chain as JSON, and the number of the payload at which it kills itself with
 * SIGKILL.
 */
const [path = '', identityJson = '', killedAt = ''] = process.argv.slice(2)
const identity = JSON.parse(identityJson) as ChainIdentity
let payloads = 0
const writer = openSqliteWriter(path, {
  fields: {
    ...allFields,
    rowsPerStep: 20,
    decodePayload: (payload) => {
      if (++payloads === Number(killedAt)) process.kill(process.pid, 'SIGKILL')
      return allFields.decodePayload(payload)
    },
  },
  projections,
})
await writer.openChain(identity)
while (!(await writer.advanceFields(identity.chainId)).isDone);
await writer.close()
