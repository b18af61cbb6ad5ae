import { storageOf } from '@attestry/trust/offchain/createOffchainRecords.ts'
import type { FastifyInstance } from 'fastify'
import { NotFoundError } from '@attestry/core/errors/apiErrors.ts'
import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import { formatCompositeId, parseLocalId, type ChainId } from '@attestry/core/model/compositeId.ts'
import { parseAddress } from '@attestry/core/model/hex.ts'
import { easInterface } from '@attestry/core/protocols/eas/easInterface.ts'
import { corsHeaders } from '@attestry/server/pipeline/headers.ts'
import { quoteInput } from '@attestry/server/pipeline/quoteInput.ts'
import type { ServedWing } from '@attestry/server/wing.ts'
import type { ReadLimits } from '../engine/budget.ts'
import { prismaTypeDefinitions } from '../engine/prisma/typeDefinitions.ts'
import { chainIdOf, serveDialect } from '../engine/serveDialect.ts'
import { easBehaviours } from './easBehaviours.ts'
import { createEasContext, createEasServices, type EasProtocol } from './easContext.ts'
import { easExamples } from './easExamples.ts'
import { easEntities } from './entities.ts'
import { easNetworks } from './networkNames.ts'

/**
 * The endpoints that answer as easscan does.
 * @param options.protocol tests replace it.
 */
export function serveEas({
  limits = {},
  protocol = easInterface,
}: { readonly limits?: Partial<ReadLimits>; readonly protocol?: EasProtocol } = {}): ServedWing {
  return serveDialect(
    {
      protocol: { name: protocol.name, title: 'EAS', path: 'eas' },
      typeDefinitions: () => prismaTypeDefinitions(easEntities),
      behaviours: easBehaviours,
      open: ({ reader, decodePayload, offchainRecords, names }, readLimits) => {
        const services = createEasServices({
          reader,
          decodePayload,
          protocol,
          limits: readLimits,
          storage: storageOf({ offchainRecords }),
          names,
        })
        return (chain, effort) => createEasContext(services, chain, effort)
      },
      networks: easNetworks,
      examples: easExamples,
      addRoutes: addRedirects,
    },
    limits,
  )
}

/** easscan's links lead to the pages of the explorer. */
function addRedirects(app: FastifyInstance): void {
  const redirect = (path: string, pageOf: (id: string, chainId: ChainId) => string | null) => {
    app.route({
      method: ['GET', 'HEAD'],
      url: `/eas/:chain/${path}/:id`,
      handler: (request, reply) => {
        const { id = '' } = request.params as { readonly id?: string }
        const chainId = chainIdOf(easNetworks, request)
        const page = chainId === null ? null : pageOf(id, chainId)
        if (page === null)
          throw new NotFoundError(`${quoteInput(id)} is no id of easscan: 0x and hexadecimal digits.`)
        return reply.headers(corsHeaders).redirect(page, 302)
      },
    })
  }
  const recordPage = (kind: string) => (id: string, chainId: ChainId) => {
    const localId = parseLocalId(id)
    return localId === null ? null : `/${kind}/${formatCompositeId({ chainId, localId })}`
  }
  redirect('attestation/view', recordPage('attestation'))
  redirect('schema/view', recordPage('schema'))
  redirect('address', (id) => {
    const address = parseAddress(id)
    return address === null ? null : `/address/${checksumAddress(address)}`
  })
}
