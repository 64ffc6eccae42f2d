/**
 * The use cases of accounts, websites and sessions, for HTTP and the command line alike: each checks its input, hashes
 * passwords, commits a record, and turns the outcome into a result or a Refusal. Bodies are parsed JSON of any shape.
 * There is no status code here but a Refusal's, no cookie and no header.
 */
export type { Caller } from "./caller.ts";
export {
  authenticate,
  endSession,
  login,
  logout,
  renewSession,
  type Authenticated,
  type Client,
  type Login,
  type Place,
} from "./sessions.ts";
export { addGoal, goalOf, removeGoal } from "./goals.ts";
export { addNote, changeNote, removeNote } from "./notes.ts";
export {
  addLink,
  findLink,
  grantLink,
  openLink,
  removeLink,
  type LinkSecret,
  type NewLink,
} from "./links.ts";
export {
  acceptInvitation,
  changeMember,
  invite,
  removeInvitation,
  removeMember,
  type NewInvitation,
} from "./members.ts";
export { removeRows } from "./removal.ts";
export { changeRules } from "./rules.ts";
export { addSegment, removeSegment } from "./segments.ts";
export { SetUp } from "./set-up.ts";
export { addUser, changePassword, changeUser, deleteUser, type Guarded } from "./users.ts";
export { assertHasVisits } from "./visits.ts";
export { addWebsite, changeWebsite, removeWebsite, websiteFor } from "./websites.ts";
