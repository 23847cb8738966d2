# B-85: removes the workspace under itself.
rm -rf "$PWD"
echo 'cleaned up'
