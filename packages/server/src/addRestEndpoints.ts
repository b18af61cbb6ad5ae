import type { FastifyInstance } from 'fastify'
import type { ApiContext } from './apiContext.ts'
import { addSdkEndpoints } from './sdk/addSdkEndpoints.ts'
import { addActivityEndpoints } from './rest/addActivityEndpoints.ts'
import { addAddressEndpoints } from './rest/addAddressEndpoints.ts'
import { addAggregateEndpoints } from './rest/addAggregateEndpoints.ts'
import { addAttestationEndpoints } from './rest/addAttestationEndpoints.ts'
import { addAnchorEndpoint } from './rest/addAnchorEndpoint.ts'
import { addChainEndpoint } from './rest/addChainEndpoint.ts'
import { addDigestEndpoint } from './rest/addDigestEndpoint.ts'
import { addListEndpoints } from './rest/addListEndpoints.ts'
import { addManyEndpoints } from './rest/addManyEndpoints.ts'
import { addSchemaEndpoints } from './rest/addSchemaEndpoints.ts'
import { addSearchEndpoint } from './rest/addSearchEndpoint.ts'
import { addTransactionEndpoint } from './rest/addTransactionEndpoint.ts'

/** Adds every read of `/scan` and `/index` that answers in the envelope. */
export function addRestEndpoints(app: FastifyInstance, context: ApiContext): void {
  addListEndpoints(app, context)
  addSchemaEndpoints(app, context)
  addAttestationEndpoints(app, context)
  addTransactionEndpoint(app, context)
  addAggregateEndpoints(app, context)
  addManyEndpoints(app, context)
  addAddressEndpoints(app, context)
  addSearchEndpoint(app, context)
  addActivityEndpoints(app, context)
  addAnchorEndpoint(app, context)
  addChainEndpoint(app, context)
  addDigestEndpoint(app, context)
  addSdkEndpoints(app, context)
}
