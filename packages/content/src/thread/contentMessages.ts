import type { ContentConfig } from '../contentSchema.ts'
import type { DatabaseConfig } from '@attestry/host/config/resolveDatabase.ts'

/** What the thread that fetches content starts with. */
export interface ContentSettings {
  readonly database: DatabaseConfig
  readonly content: ContentConfig
}

/** A line of its log. */
export interface ContentMessage {
  readonly level: 'info' | 'warn'
  readonly message: string
}
