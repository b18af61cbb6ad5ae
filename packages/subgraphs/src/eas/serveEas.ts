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
import { createEasContext, createEasServices } from './easContext.ts'
import { easExamples } from './easExamples.ts'
import { easEntities } from './entities.ts'

/** The endpoints that answer as easscan does. */
export function serveEas({ limits = {} }: { readonly limits?: Partial<ReadLimits> } = {}): ServedWing {
  return serveDialect(
    {
      protocol: { name: easInterface.name, title: 'EAS', path: 'eas' },
      typeDefinitions: () => prismaTypeDefinitions(easEntities),
      behaviours: easBehaviours,
      open: ({ reader, decodePayload, offchainRecords, names }, readLimits) => {
        const services = createEasServices({
          reader,
          decodePayload,
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

/**
 * The chains of easscan by their names, which stand before `.easscan.org` in its URLs; `ethereum` and `mainnet` are
 * easscan.org itself. Other chains are asked for by their number.
 */
const easNetworks: ReadonlyMap<string, ChainId> = new Map([
  ['ethereum', 1],
  ['mainnet', 1],
  ['optimism', 10],
  ['polygon', 137],
  ['base', 8453],
  ['arbitrum', 42161],
  ['arbitrum-nova', 42170],
  ['celo', 42220],
  ['linea', 59144],
  ['scroll', 534352],
  ['sepolia', 11155111],
  ['optimism-sepolia', 11155420],
  ['optimism-sepolia-bedrock', 11155420],
  ['optimism-goerli-bedrock', 420],
  ['base-sepolia', 84532],
  ['base-goerli', 84531],
  ['arbitrum-goerli', 421613],
  ['scroll-sepolia', 534351],
])
