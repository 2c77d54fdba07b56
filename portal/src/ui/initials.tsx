import css from './initials.module.css'

/** A person's initials as an avatar; decorative, because the name is next to it. */
export const Initials = ({ name, small = false }: { name: string; small?: boolean }) => (
  <span className={`${css.initials} ${small ? css.small : ''}`} aria-hidden="true" data-initials={initialsOf(name)} />
)

const initialsOf = (name: string): string =>
  name
    .split(' ')
    .filter((word) => /^\p{Lu}/u.test(word) && !word.endsWith('.'))
    .map((word) => word[0])
    .join('')
    .slice(0, 2)
