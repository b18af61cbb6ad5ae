import type { FastifyInstance } from 'fastify'
import type { ApiContext } from '../addEndpoint.ts'
import { addAgentEndpoints } from '../agents/addAgentEndpoints.ts'
import { addStoreEndpoints } from '../offchain/addStoreEndpoints.ts'
import { addSdkEndpoints } from '../sdk/addSdkEndpoints.ts'
import { addSnapshotEndpoint } from '../gate/addSnapshotEndpoint.ts'
import { addGateEndpoints } from '../gate/addGateEndpoints.ts'
import { addActivityEndpoints } from './addActivityEndpoints.ts'
import { addAddressEndpoints } from './addAddressEndpoints.ts'
import { addAggregateEndpoints } from './addAggregateEndpoints.ts'
import { addAttestationEndpoints } from './addAttestationEndpoints.ts'
import { addAnchorEndpoint } from './addAnchorEndpoint.ts'
import { addChainEndpoint } from './addChainEndpoint.ts'
import { addDigestEndpoint } from './addDigestEndpoint.ts'
import { addListEndpoints } from './addListEndpoints.ts'
import { addManyEndpoints } from './addManyEndpoints.ts'
import { addOffchainEndpoints } from './addOffchainEndpoints.ts'
import { addProofEndpoints } from './addProofEndpoints.ts'
import { addSchemaEndpoints } from './addSchemaEndpoints.ts'
import { addSearchEndpoint } from './addSearchEndpoint.ts'
import { addTransactionEndpoint } from './addTransactionEndpoint.ts'

/** Adds every read of `/scan` and `/index` that answers in the envelope. */
export function addRestEndpoints(app: FastifyInstance, context: ApiContext): void {
  addListEndpoints(app, context)
  addSchemaEndpoints(app, context)
  addAttestationEndpoints(app, context)
  addTransactionEndpoint(app, context)
  addAggregateEndpoints(app, context)
  addManyEndpoints(app, context)
  addAgentEndpoints(app, context)
  addGateEndpoints(app, context)
  addSnapshotEndpoint(app, context)
  addProofEndpoints(app, context)
  addAddressEndpoints(app, context)
  addSearchEndpoint(app, context)
  addActivityEndpoints(app, context)
  addAnchorEndpoint(app, context)
  addOffchainEndpoints(app, context)
  addStoreEndpoints(app, context)
  addChainEndpoint(app, context)
  addDigestEndpoint(app, context)
  addSdkEndpoints(app, context)
}
