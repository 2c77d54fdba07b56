import css from './initials.module.css'

/** The initials of a person, in the place of a picture: drawn, because their name is said beside it. */
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
