import type { FastifyInstance } from 'fastify'
import type { ApiContext } from '../../apiContext.ts'
import { addSdkEndpoints } from '../sdk/addSdkEndpoints.ts'
import { addActivityEndpoints } from './addActivityEndpoints.ts'
import { addAddressEndpoints } from './addAddressEndpoints.ts'
import { addAggregateEndpoints } from './addAggregateEndpoints.ts'
import { addAttestationEndpoints } from './addAttestationEndpoints.ts'
import { addAnchorEndpoint } from './addAnchorEndpoint.ts'
import { addChainEndpoint } from './addChainEndpoint.ts'
import { addDigestEndpoint } from './addDigestEndpoint.ts'
import { addListEndpoints } from './addListEndpoints.ts'
import { addManyEndpoints } from './addManyEndpoints.ts'
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
  addAddressEndpoints(app, context)
  addSearchEndpoint(app, context)
  addActivityEndpoints(app, context)
  addAnchorEndpoint(app, context)
  addChainEndpoint(app, context)
  addDigestEndpoint(app, context)
  addSdkEndpoints(app, context)
}
