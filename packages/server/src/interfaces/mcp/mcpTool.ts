/** A tool as the Model Context Protocol lists it, and its implementation. */
export interface McpTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: InputSchema
  /** The JSON Schema of `data` of its results; absent if they are only text. */
  readonly outputSchema?: object
  /** A mistake in the arguments is a result as well; a rejection is a defect. */
  readonly call: (values: Readonly<Record<string, unknown>>, client: ToolClient) => Promise<ToolResult>
}

/** The JSON Schema of the arguments. */
export interface InputSchema {
  readonly type: 'object'
  readonly properties: Readonly<Record<string, object>>
  readonly required: readonly string[]
}

/** The client of a tool, whose limits and rights are those of the requests that the tool makes. */
export interface ToolClient {
  readonly remoteAddress: string
  readonly forwardedFor: string | undefined
  /** The headers that carry its key. */
  readonly keyHeaders: Readonly<Record<string, string>>
}

export interface ToolResult {
  readonly isError: boolean
  readonly text: string
  /** The same as an object, by the schema of the tool; absent for a mistake. */
  readonly data?: object
  /** Lines beside the text, for the model that reads it. */
  readonly notes?: readonly string[]
}
