// An invitation carries its secret behind the #, which browsers never send; it is put into the form and forgotten.
"use strict";

const secret = decodeURIComponent(window.location.hash.slice(1));
if (secret) {
  window.history.replaceState(null, "", window.location.pathname);
  const join = document.getElementById("join");
  if (secret.startsWith("vo_")) { // A link for everybody: whoever comes may say a name first.
    document.getElementById("join-secret").value = secret;
    join.hidden = false;
    for (const id of ["login", "read", "title"]) document.getElementById(id).hidden = true;
    document.getElementById("name").focus();
  } else {
    document.getElementById("secret").value = secret;
    document.getElementById("login").requestSubmit();
  }
}
