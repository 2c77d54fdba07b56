import { oneOfIn } from '../search.ts'

export const settingsTabs = ['people', 'sign-in', 'notices'] as const

/** What of the settings is in their URL. */
export interface SettingsSearch {
  tab?: (typeof settingsTabs)[number]
}

export const settingsSearch = (raw: Record<string, unknown>): SettingsSearch => {
  const tab = oneOfIn(raw, 'tab', settingsTabs)
  return { ...(tab && { tab }) }
}
