import type { ContentConfig } from '../contentSchema.ts'
import type { DatabaseConfig } from '@attestry/host/config/resolveDatabase.ts'

/** The settings with which the thread that fetches content starts. */
export interface ContentSettings {
  readonly database: DatabaseConfig
  readonly content: ContentConfig
}

/** A line of its log. */
export interface ContentMessage {
  readonly level: 'info' | 'warn'
  readonly message: string
}
