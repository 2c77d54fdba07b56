/**
 * Text for people, with control characters other than line breaks and tabs, and characters that change the direction of text, as
 * escapes: a name from the service must not command the terminal or reorder what it shows.
 */
export const visible = (text: string): string =>
  text.replace(
    /[^\P{Cc}\n\t]|\p{Bidi_Control}|[\u2028\u2029]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** A value without control characters, so that it does not end its line. */
export const oneLine = (text: string): string => text.replace(/\p{Cc}+/gu, ' ')
