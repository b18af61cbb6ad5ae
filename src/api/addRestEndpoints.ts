import type { FastifyInstance } from 'fastify'
import type { ApiContext } from '../faces/apiContext.ts'
import { addAgentEndpoints } from '../faces/agents/addAgentEndpoints.ts'
import { addStoreEndpoints } from '../faces/offchain/addStoreEndpoints.ts'
import { addSdkEndpoints } from '../faces/sdk/addSdkEndpoints.ts'
import { addSnapshotEndpoint } from '../faces/gate/addSnapshotEndpoint.ts'
import { addGateEndpoints } from '../faces/gate/addGateEndpoints.ts'
import { addActivityEndpoints } from '../faces/rest/addActivityEndpoints.ts'
import { addAddressEndpoints } from '../faces/rest/addAddressEndpoints.ts'
import { addAggregateEndpoints } from '../faces/rest/addAggregateEndpoints.ts'
import { addAttestationEndpoints } from '../faces/rest/addAttestationEndpoints.ts'
import { addAnchorEndpoint } from '../faces/rest/addAnchorEndpoint.ts'
import { addChainEndpoint } from '../faces/rest/addChainEndpoint.ts'
import { addDigestEndpoint } from '../faces/rest/addDigestEndpoint.ts'
import { addListEndpoints } from '../faces/rest/addListEndpoints.ts'
import { addManyEndpoints } from '../faces/rest/addManyEndpoints.ts'
import { addOffchainEndpoints } from '../faces/offchain/addOffchainEndpoints.ts'
import { addProofEndpoints } from '../faces/rest/addProofEndpoints.ts'
import { addSchemaEndpoints } from '../faces/rest/addSchemaEndpoints.ts'
import { addSearchEndpoint } from '../faces/rest/addSearchEndpoint.ts'
import { addTransactionEndpoint } from '../faces/rest/addTransactionEndpoint.ts'

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
