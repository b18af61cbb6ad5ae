import type { FastifyInstance, FastifyRequest } from 'fastify'
import { NotFoundError } from '@attestry/core/errors/apiErrors.ts'
import {
  formatCompositeId,
  parseChainId,
  parseLocalId,
  type ChainId,
} from '@attestry/core/model/compositeId.ts'
import { parseAddress } from '@attestry/core/model/hex.ts'
import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import { corsHeaders } from '@attestry/server/pipeline/headers.ts'
import { quoteInput } from '@attestry/server/pipeline/quoteInput.ts'
import { defaultReadLimits } from '../engine/budget.ts'
import { easBehaviours } from './easBehaviours.ts'
import { createEasContext, createEasServices, type EasProtocol } from './easContext.ts'
import { easExamples } from './easExamples.ts'
import { findNetwork } from './networkNames.ts'
import { createProtocolEndpoints, type ProtocolOptions } from '../engine/protocolEndpoints.ts'
import { easEntities } from './entities.ts'
import { prismaTypeDefinitions } from '../engine/prisma/typeDefinitions.ts'

/** The endpoints that answer as easscan does, to be added under each of a server's bases. */
export function createEasEndpoints(options: ProtocolOptions<EasProtocol>): (app: FastifyInstance) => void {
  const { context, protocol, noteFailure, onFailure } = options
  const { reader, decodePayload, storage, names } = context
  const limits = { ...defaultReadLimits, ...options.limits }
  const services = createEasServices({ reader, decodePayload, protocol, limits, storage, names })
  const addEndpoints = createProtocolEndpoints({
    context,
    protocol: { name: protocol.name, title: 'EAS', path: 'eas' },
    typeDefinitions: () => prismaTypeDefinitions(easEntities),
    behaviours: easBehaviours,
    createContext: (chain, effort) => createEasContext(services, chain, effort),
    chainIdOf,
    examples: easExamples,
    limits,
    noteFailure,
    onFailure,
  })
  return (app) => {
    addEndpoints(app)
    addRedirects(app)
  }
}

/** The chain that a path names; null for a path without one. */
function chainIdOf({ params }: FastifyRequest): ChainId | null {
  const { chain } = params as { readonly chain?: string }
  if (chain === undefined) return null
  const chainId = parseChainId(chain) ?? findNetwork(chain)
  if (chainId !== null) return chainId
  throw new NotFoundError(
    `${quoteInput(chain)} is no chain: give its number, or the name that easscan has for it, such as base.`,
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
        const chainId = chainIdOf(request)
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
