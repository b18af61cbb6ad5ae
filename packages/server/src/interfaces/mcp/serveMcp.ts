import {
  addManifest,
  serverCard,
  serverCardPath,
  serverCardType,
} from '../../pipeline/reference/agentManifests.ts'
import type { ServedWing } from '../../wing.ts'
import { createMcpTools } from './createMcpTools.ts'
import type { McpTool } from './mcpTool.ts'

/** The Model Context Protocol at `/mcp`. */
export function serveMcp(): ServedWing {
  return {
    rootEndpoints: ({ app, context, routes, tools: further, logFailure }) => {
      let made: readonly McpTool[] | null = null
      const tools = () => (made ??= [...createMcpTools(app, routes), ...further])
      return (root) => {
        addManifest(root, serverCardPath, serverCardType, serverCard)
        root.register(async (scope) => {
          // Servers without the protocol do not load its SDK.
          const { addMcpEndpoint } = await import('./addMcpEndpoint.ts')
          addMcpEndpoint(scope, context, tools, logFailure('a tool failed'))
        })
      }
    },
  }
}
