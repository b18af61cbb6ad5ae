import { hash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { readVersion } from '@attestry/host/readVersion.ts'
import { createFixedAnswer, sendFixedAnswer } from '../answers/fixedAnswer.ts'
import { originOf } from '../originOf.ts'
import { skill } from './agentTexts.ts'

/** The identity of the MCP server: in the handshake, in its card and in the registry of MCP servers. */
export const mcpIdentity = {
  name: 'io.github.attestry/attestry',
  title: 'Attestry',
  description: 'On-chain attestations: who may pass, who holds what, AI agents of ERC-8004, proofs.',
}

const repository = { url: 'https://github.com/attestry/attestry', source: 'github' }

/** The content type of a catalog of AI artifacts, and of its entries. */
export const aiCatalogType = 'application/ai-catalog+json'
export const serverCardType = 'application/mcp-server-card+json'
const skillType = 'application/agent-skills+md'

export const skillPath = `/.well-known/agent-skills/${skill.name}/SKILL.md`
export const serverCardPath = '/mcp/server-card'

/** Adds a manifest that names the origin of its server: each name of the server has a document of its own. */
export function addManifest(
  app: FastifyInstance,
  url: string,
  type: string,
  manifest: (origin: string) => object,
): void {
  const headers = { 'content-type': type, vary: 'accept-encoding, host, x-forwarded-proto' }
  app.route({
    method: ['GET', 'HEAD'],
    url,
    handler: async (request, reply) => {
      const content = Buffer.from(JSON.stringify(manifest(originOf(request) ?? 'http://localhost')))
      return await sendFixedAnswer(request, reply, createFixedAnswer(content, headers))
    },
  })
}

/** The answer of `/.well-known/ai-catalog.json` (https://ai-catalog.io/spec). */
export function aiCatalog(origin: string, hasMcp: boolean): object {
  const { hostname } = new URL(origin)
  const mcp = {
    identifier: `urn:air:${hostname}:mcp:${skill.name}`,
    displayName: mcpIdentity.title,
    type: serverCardType,
    url: origin + serverCardPath,
  }
  return {
    specVersion: '1.0',
    host: { displayName: mcpIdentity.title, identifier: hostname, documentationUrl: `${origin}/docs` },
    entries: [
      ...(hasMcp ? [mcp] : []),
      {
        identifier: `urn:air:${hostname}:skill:${skill.name}`,
        displayName: mcpIdentity.title,
        description: skill.description,
        type: skillType,
        url: origin + skillPath,
        version: readVersion(),
      },
      {
        identifier: `urn:air:${hostname}:api:${skill.name}`,
        displayName: `${mcpIdentity.title}: OpenAPI`,
        description: mcpIdentity.description,
        type: 'application/vnd.oai.openapi+json;version=3.1',
        url: `${origin}/openapi.json`,
        version: readVersion(),
      },
    ],
  }
}

/** The answer of `/.well-known/agent-skills/index.json`. @param text the text of the skill. */
export function skillIndex(text: string): object {
  return {
    $schema: 'https://schemas.agentskills.io/discovery/0.2.0/schema.json',
    skills: [
      {
        ...skill,
        type: 'skill-md',
        url: skillPath,
        digest: `sha256:${hash('sha256', text)}`,
        version: readVersion(),
      },
    ],
  }
}

/** The card of the MCP server, beside its endpoint. */
export function serverCard(origin: string): object {
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/v2/server-card.schema.json',
    ...mcpIdentity,
    version: readVersion(),
    websiteUrl: repository.url,
    repository,
    remotes: [{ type: 'streamable-http', url: `${origin}/mcp` }],
  }
}

/** `server.json` of the repository: the manifest for the registry of MCP servers. */
export function registryManifest(): object {
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    ...mcpIdentity,
    version: readVersion(),
    websiteUrl: repository.url,
    repository,
    packages: [
      {
        registryType: 'npm',
        identifier: 'attestry',
        version: readVersion(),
        transport: { type: 'stdio' },
        packageArguments: [
          { type: 'positional', value: 'mcp' },
          {
            type: 'named',
            name: '--config',
            description: 'The configuration file; its database has the index',
            format: 'filepath',
            isRequired: true,
          },
        ],
      },
    ],
    remotes: [
      {
        type: 'streamable-http',
        url: 'https://{host}/mcp',
        variables: {
          host: { description: 'The host of a server whose operator has switched MCP on', isRequired: true },
        },
      },
    ],
  }
}
